import { document, PRIVATE_HEADERS } from '../document/document'
import { html } from '../document/html'
import { accessRequestOf, refuseAccess } from '../guard/access'
import {
  CONSENTS,
  type ConsentPolicy,
  chosenConsent,
  consentCookie,
  consentOfRequest,
  hasPrivacySignal,
  isConsent,
} from '../protocol/consent'
import { FORGET_COOKIE, FORGET_MAX_AGE_S } from '../protocol/request'
import { type Result, succeed } from '../protocol/result'
import type { Tunnel } from '../tunnel/tunnel'
import { visitorHash, visitorIds } from '../tunnel/visitor'
import type { VisitorDetail } from '../wire/visitor'
import { type VisitorCollector, visitorCollector } from './collector'
import { confirmPage, deletedPage, type Overview, overviewPage } from './overview-page'
import { recordPage } from './record-page'
import { type PageOptions, TEXTS } from './texts'

export interface DiagnosticsOptions {
  /** Base address of the collector, such as http://127.0.0.1:8969. */
  readonly collectorUrl: string
  /** The collector's token, where it has one: without it the collector answers nobody. */
  readonly token?: string
  /** The tunnel of the same app, whose lifeboat may hold what the collector has not received yet. */
  readonly tunnel: Pick<Tunnel, 'waiting' | 'forget'>
  /** The settings of the SDK in the pages of the app. */
  readonly pageOptions: PageOptions
  /** The consent of visitors who have not chosen. Without it, the page offers no choice. */
  readonly consent?: ConsentPolicy
  /** Whether the tunnel passes on the address of a visitor. */
  readonly recordsAddress: boolean
  /** Origins of the app, besides the one that the Host header names. */
  readonly origins?: readonly string[]
  /** Replace it when the app's SDK would trace it. */
  readonly fetch?: typeof fetch
}

/** Bytes of the form. */
const MAX_FORM_BYTES = 1024

/**
 * Makes the handler of the page that shows a visitor what was sent about it: `GET` shows, with `?record=N`, `?before=N`,
 * `?download` and `?delete`; `POST` deletes, or stores what pages may send. The cookie of the request alone decides whose records it shows. The document
 * runs no script. Mount it at one path, outside of tracing.
 */
export function createDiagnostics(options: DiagnosticsOptions): (request: Request) => Promise<Response> {
  const { collectorUrl, tunnel, origins = [] } = options
  const access = { url: collectorUrl, token: options.token ?? null, fetch: options.fetch ?? fetch }
  return async (request) => {
    const { method, headers } = request
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST')
      return message(405, `this page answers GET and POST, got ${method}`, { allow: 'GET, HEAD, POST' })
    const intent = method === 'POST' ? 'change' : 'read'
    // The cookie decides whose records these are; a foreign page must neither load nor delete them.
    const refusal = refuseAccess(accessRequestOf(headers, true), { tokenRequired: false, hosts: [], origins }, intent)
    if (refusal !== null) return message(refusal.status, refusal.detail)
    const visitors = visitorIds(headers.get('cookie')).map(visitorHash)
    const collector = visitors.length === 0 ? null : visitorCollector(access, visitors)
    const { pathname, searchParams } = new URL(request.url)
    if (method === 'POST') {
      const form = await readForm(request)
      if (form === null) return message(413, `the form has more than ${MAX_FORM_BYTES} bytes`)
      if (form.get('do') === 'consent' && options.consent !== undefined)
        return answerChoice(form.get('consent'), headers.get('origin'), pathname)
      return answerDelete(form, pathname, collector, () => tunnel.forget(visitors))
    }
    if (searchParams.has('delete')) return document(TEXTS.deleteTitle, 200, confirmPage(pathname))
    if (searchParams.has('download')) return answerDownload(collector)
    const record = searchParams.get('record')
    if (record !== null) return answerRecord(collector, numberOf(record), pathname, searchParams.has('raw'))
    const before = searchParams.get('before')
    const beforeSeq = before === null ? null : numberOf(before)
    if (before !== null && beforeSeq === null)
      return message(400, `before must be a number of a record, got ${JSON.stringify(before.slice(0, 40))}`)
    const page = overviewPage({
      path: pathname,
      records: collector === null ? null : await collector.list(beforeSeq),
      waiting: collector === null ? succeed(0) : await tunnel.waiting(visitors),
      isLaterPage: before !== null,
      options: options.pageOptions,
      consent: options.consent === undefined ? null : consentShown(headers, options.consent),
      recordsAddress: options.recordsAddress,
    })
    return document(TEXTS.title, 200, page)
  }
}

const message = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response => {
  const answer = document(TEXTS.title, status, html`<h1>${TEXTS.title}</h1><p role="alert">${text}</p>`)
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
  return answer
}

const numberOf = (text: string): number | null => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : null)

async function answerRecord(
  collector: VisitorCollector | null,
  seq: number | null,
  path: string,
  isRaw: boolean,
): Promise<Response> {
  if (collector === null || seq === null) return message(404, TEXTS.notFound)
  const found = isRaw ? await collector.raw(seq) : await collector.detail(seq)
  if (!found.ok) return message(503, `${TEXTS.unavailable} ${found.error}.`)
  if (found.value === null) return message(404, TEXTS.notFound)
  if (found.value instanceof Uint8Array)
    return new Response(found.value, {
      headers: attachment('application/octet-stream', `record-${seq}.envelope`),
    })
  return document(`${TEXTS.record} ${seq}`, 200, recordPage(found.value, path))
}

const attachment = (type: string, name: string): Readonly<Record<string, string>> => ({
  ...PRIVATE_HEADERS,
  'content-type': type,
  'content-disposition': `attachment; filename="${name}"`,
})

/** One JSON file with every record, in pieces. A record that is not all text has its bytes with it. */
async function answerDownload(collector: VisitorCollector | null): Promise<Response> {
  const first = collector === null ? null : await collector.list(null)
  if (first?.ok === false) return message(503, `${TEXTS.unavailable} ${first.error}.`)
  const encoder = new TextEncoder()
  async function* pieces(): AsyncGenerator<string> {
    yield '{"records":['
    let separator = ''
    for (let page = first; collector !== null && page !== null; ) {
      const { records, next } = present(page)
      for (const { seq } of records) {
        const detail = present(await collector.detail(seq))
        // It was evicted or deleted meanwhile.
        if (detail === null) continue
        yield `${separator}${JSON.stringify(await withBytes(detail, seq, collector), null, 1)}`
        separator = ',\n'
      }
      page = next === null ? null : await collector.list(next)
    }
    yield ']}\n'
  }
  const source = pieces()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await source.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
  return new Response(body, { headers: attachment('application/json', 'sent-about-me.json') })
}

async function withBytes({ record }: VisitorDetail, seq: number, collector: VisitorCollector): Promise<object> {
  if (record.items.every(({ text, truncated }) => text !== null && !truncated)) return record
  const bytes = present(await collector.raw(seq))
  return { ...record, bodyBase64: bytes === null ? null : Buffer.from(bytes).toString('base64') }
}

/** @throws when the collector fails in the middle: the download ends with an error, so that nobody takes it for complete */
function present<Value>(answer: Result<Value, string>): Value {
  if (answer.ok) return answer.value
  throw new Error(`the download is incomplete: ${answer.error}`)
}

/** Stores the choice in this browser and shows the page again. */
function answerChoice(value: string | null, origin: string | null, path: string): Response {
  if (!isConsent(value))
    return message(400, `consent must be ${CONSENTS.join(', ')}, got ${JSON.stringify(value?.slice(0, 40) ?? null)}`)
  const cookie = consentCookie(value, origin?.startsWith('https:') === true)
  return new Response(null, {
    status: 303,
    headers: { ...PRIVATE_HEADERS, location: `${path}#consent`, 'set-cookie': cookie },
  })
}

const consentShown = (headers: Headers, policy: ConsentPolicy): Overview['consent'] => {
  const level = consentOfRequest(headers, policy)
  if (chosenConsent(headers.get('cookie')) !== null) return { level, why: 'chosen' }
  return { level, why: hasPrivacySignal(headers) && policy.bySignal !== null ? 'signal' : 'default' }
}

async function answerDelete(
  form: URLSearchParams,
  path: string,
  collector: VisitorCollector | null,
  removeFiles: () => Promise<Result<number, string>>,
): Promise<Response> {
  if (form.get('do') !== 'delete') return message(400, 'the form must have the field do=delete or do=consent')
  if (collector === null) return document(TEXTS.title, 200, deletedPage(path, NONE, succeed(0)))
  // The collector first: it drops what the tunnel delivers from now on.
  const done = await collector.deleteAll()
  if (!done.ok) return message(503, `${TEXTS.notDeleted} ${done.error}. ${TEXTS.deleteAgain}`)
  const page = document(TEXTS.title, 200, deletedPage(path, done.value, await removeFiles()))
  // Pages empty their queue when they find it.
  page.headers.set('set-cookie', `${FORGET_COOKIE}=1; Path=/; Max-Age=${FORGET_MAX_AGE_S}; SameSite=Lax`)
  return page
}

/** @returns `null` for a form that is too large. One that breaks off has no fields. */
async function readForm({ body }: Request): Promise<URLSearchParams | null> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for (let step = await reader?.read(); step?.done === false; step = await reader?.read()) {
      length += step.value.length
      // The rest stays unread: ending the stream would end the connection before the answer.
      if (length > MAX_FORM_BYTES) return null
      chunks.push(step.value)
    }
  } catch {
    return new URLSearchParams()
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

const NONE = { records: 0, dropped: 0, posted: 0, awaited: 0 }
