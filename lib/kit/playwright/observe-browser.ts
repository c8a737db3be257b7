import type { BrowserContext, Page, Request, Response } from '@playwright/test'
import { quantityOf } from '../../protocol/data-category'
import { parseEnvelope } from '../../protocol/envelope'
import { hostName, isLoopbackName, RECEIPT_HEADER } from '../../protocol/request'
import type { ObservedTest, SeenDocument, SeenPost, ServerFailure, TracedRequest } from '../../verdict/arrival/observed'
import { isCollector, urlOf } from '../../verdict/rules/browser-requests'
import type { SeenRequest } from '../../verdict/rules/rule'
import { type Clock, pause } from '../clock'
import { parentOf } from './in-flight'

/** An answer that takes longer is described without its body. */
const MOST_BODY_MS = 2_000
const MOST_SENTENCE = 300

interface Observation extends Pick<ObservedTest, 'documents' | 'posts' | 'failures'> {}

/** Documents, posted envelopes and failed requests of the test's pages. */
export interface BrowserObserver {
  readonly watch: (context: BrowserContext) => void
  /** The document of a page has sent everything that it buffered. */
  readonly hasSent: (page: Page) => void
  /** Does the page still send telemetry that it was not answered yet? */
  readonly isSending: (page: Page) => boolean
  /** Everything that was observed so far. Waits for bodies of failed answers, for 2 s at most. */
  readonly read: () => Promise<Observation>
}

interface Opened {
  readonly request: Request
  readonly page: Page | null
  readonly hasScript: boolean
  isLoaded: boolean
  hasSent: boolean
}

/**
 * Observes passively: adds no headers, routes or scripts.
 * @param origins of the test; other sites are not judged
 * @param onPost receives the body of each envelope that a page posts
 */
export function observeBrowser({
  origins,
  collectorUrl,
  clock,
  onPost,
}: {
  readonly origins: readonly string[]
  readonly collectorUrl: string
  readonly clock: Clock
  readonly onPost: (body: Uint8Array) => void
}): BrowserObserver {
  const opened: Opened[] = []
  const posts: { readonly request: Request; readonly post: PostedEnvelope }[] = []
  const responses = new Map<Request, Response>()
  const failures = new Map<Request, string>()
  const failed: { readonly request: Request; readonly startedAt: number }[] = []
  const bodies = new Map<Request, string | null>()
  const mocked = new Set<Request>()
  const reading = new Set<Promise<void>>()
  const sending = new Map<Request, Page>()
  const contexts = new WeakSet<BrowserContext>()
  const current = new WeakMap<Page, Opened>()
  const next = new WeakMap<Page, Opened>()

  const isOwn = (url: string): boolean => origins.includes(originOf(url))
  const background = (work: Promise<void>): void => {
    reading.add(work)
    void work.finally(() => reading.delete(work))
  }

  const began = (context: BrowserContext, request: Request): void => {
    if (request.isNavigationRequest()) {
      const page = pageOf(request)
      const one = { request, page, hasScript: runsScripts(context), isLoaded: false, hasSent: false }
      opened.push(one)
      if (page !== null) next.set(page, one)
    }
    const body = request.method() === 'POST' && belongs(request) ? request.postDataBuffer() : null
    const envelope = envelopeIn(body)
    if (body !== null && envelope !== null) {
      posts.push({ request, post: envelope })
      onPost(body)
    }
    const page = pageOf(request)
    if (page !== null && (envelope !== null || isOtlpExport(request))) sending.set(request, page)
  }
  /** Did a page of the test send it to its own server, or to a server of this machine? */
  const belongs = (request: Request): boolean => {
    const url = urlOf(request.url())
    if (url === null || !isOwn(documentUrl(request))) return false
    return isOwn(request.url()) || isCollector(url, collectorUrl) || isLoopbackName(hostName(url.host))
  }
  const answered = (response: Response): void => {
    const request = response.request()
    responses.set(request, response)
    sending.delete(request)
    const isEnvelope = posts.some((one) => one.request === request)
    const isFailure =
      response.status() >= 500 && !isEnvelope && isOwn(request.url()) && JUDGED.has(request.resourceType())
    if (isFailure) failed.push({ request, startedAt: clock.today() })
    if (isFailure || (isEnvelope && !response.ok()))
      background(
        response.text().then(
          (text) => void bodies.set(request, text),
          // The page has been left, so nobody has the body.
          () => void bodies.set(request, null),
        ),
      )
    if (isFailure || request.isNavigationRequest())
      background(
        response.serverAddr().then(
          (address) => void (address === null && mocked.add(request)),
          () => undefined,
        ),
      )
  }
  const follow = (page: Page): void => {
    page.on('framenavigated', (frame) => {
      const one = frame.parentFrame() === null ? next.get(page) : undefined
      if (one === undefined) return
      next.delete(page)
      current.set(page, one)
    })
    page.on('load', () => {
      const one = current.get(page)
      if (one !== undefined) one.isLoaded = true
    })
  }
  const exemptionOf = ({ request, page, hasScript, isLoaded }: Opened): SeenDocument['exempt'] => {
    const response = responses.get(request) ?? null
    if (!isOwn(request.url())) return 'other site'
    if (page === null || isInFrame(request)) return 'frame'
    if (request.redirectedTo() !== null) return 'redirect'
    if (!isLoaded || response === null) return 'left'
    if (mocked.has(request) || response.fromServiceWorker()) return 'mock'
    if (response.status() >= 400) return 'error status'
    if (!/html/i.test(response.headers()['content-type'] ?? '')) return 'not HTML'
    return hasScript ? null : 'no JavaScript'
  }
  const failureOf = ({ request, startedAt }: (typeof failed)[number]): readonly ServerFailure[] => {
    const response = responses.get(request)
    if (response === undefined || mocked.has(request)) return []
    return [
      {
        method: request.method(),
        url: request.url(),
        status: response.status(),
        hasOwnBody: hasOwnBody(response.headers()['content-type'], bodies.get(request) ?? null),
        traceId: /^[0-9a-f]{32}/.exec(request.headers()['sentry-trace'] ?? '')?.[0] ?? null,
        startedAt,
      },
    ]
  }

  return {
    watch: (context) => {
      if (contexts.has(context)) return
      contexts.add(context)
      for (const page of context.pages()) follow(page)
      context.on('page', follow)
      context.on('request', (request) => began(context, request))
      context.on('response', answered)
      context.on('requestfailed', (request) => {
        sending.delete(request)
        failures.set(request, request.failure()?.errorText ?? 'failed')
      })
    },
    hasSent: (page) => {
      const one = current.get(page)
      if (one !== undefined) one.hasSent = true
    },
    isSending: (page) => [...sending.values()].includes(page),
    read: async () => {
      const over = new AbortController()
      await Promise.race([Promise.allSettled([...reading]), pause(clock, MOST_BODY_MS, over.signal)])
      over.abort()
      return {
        documents: opened.map((one) => ({
          url: one.request.url(),
          exempt: exemptionOf(one),
          hasSent: one.hasSent,
        })),
        posts: lastOfEach(posts).map(({ request, post }) => ({
          ...post,
          url: request.url(),
          pageUrl: documentUrl(request),
          status: responses.get(request)?.status() ?? null,
          sentence: sentenceOf(bodies.get(request) ?? ''),
          failure: responses.has(request) ? null : reasonOf(failures.get(request)),
        })),
        failures: failed.flatMap(failureOf),
      }
    },
  }
}

/** A page may send an envelope again, under the same receipt, until it is answered: the last post counts. */
function lastOfEach<Post extends { readonly request: Request }>(posts: readonly Post[]): readonly Post[] {
  const last = new Map(posts.map((post) => [post.request.headers()[RECEIPT_HEADER] ?? post, post]))
  return [...last.values()]
}

/** Resource types whose failures are judged. */
const JUDGED: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr'])

const originOf = (url: string): string => urlOf(url)?.origin ?? ''

/** `null` where no page exists yet, or no longer. */
function pageOf(request: Request): Page | null {
  try {
    return request.serviceWorker() === null ? request.frame().page() : null
  } catch {
    // Playwright throws for a navigation whose page does not exist yet.
    return null
  }
}

function isInFrame(request: Request): boolean {
  try {
    return request.frame().parentFrame() !== null
  } catch {
    return false
  }
}

/** The address of the document that sends it. */
function documentUrl(request: Request): string {
  try {
    return request.serviceWorker()?.url() ?? request.frame().url()
  } catch {
    return ''
  }
}

/** Playwright keeps the option of a context to itself. */
function runsScripts(context: BrowserContext): boolean {
  const options: unknown = Reflect.get(context, '_options')
  return !(typeof options === 'object' && options !== null && Reflect.get(options, 'javaScriptEnabled') === false)
}

type PostedEnvelope = Pick<SeenPost, 'eventId' | 'sentAt' | 'bytes' | 'items'>

/** The identity of an envelope, and its items; `null` for another body. */
function envelopeIn(body: Buffer | null): PostedEnvelope | null {
  if (body === null || body[0] !== 0x7b) return null
  const parsed = parseEnvelope(body)
  if (!parsed.ok || parsed.value.items.length === 0) return null
  const { event_id: eventId, sent_at: sentAt } = parsed.value.header
  return {
    eventId: typeof eventId === 'string' ? eventId : null,
    sentAt: typeof sentAt === 'string' ? sentAt : null,
    bytes: body.length,
    items: parsed.value.items.map(quantityOf),
  }
}

const isOtlpExport = (request: Request): boolean =>
  request.method() === 'POST' && /\/v1\/(?:traces|logs|metrics)$/.test(urlOf(request.url())?.pathname ?? '')

/** An aborted post may have arrived: the page was left. */
const reasonOf = (failure: string | undefined): string | null =>
  failure === undefined || failure === 'net::ERR_ABORTED' ? null : failure

/** The sentence of an answer of a tunnel or a collector, else its first line. */
function sentenceOf(body: string): string {
  try {
    const answer: unknown = JSON.parse(body)
    if (typeof answer === 'object' && answer !== null) {
      const [detail, causes] = [Reflect.get(answer, 'detail'), Reflect.get(answer, 'causes')]
      const cause: unknown = Array.isArray(causes) ? causes[0] : undefined
      return [detail, cause]
        .filter((one) => typeof one === 'string')
        .join(': ')
        .slice(0, MOST_SENTENCE)
    }
  } catch {
    // It is no JSON, but perhaps a sentence.
  }
  return /^\s*</.test(body) ? '' : (body.trim().split('\n')[0] ?? '').slice(0, MOST_SENTENCE)
}

/**
 * Did a handler write it? Frameworks answer an unhandled error with an empty or a standard body.
 * @param body `null` if it could not be read
 */
function hasOwnBody(contentType: string | undefined, body: string | null): boolean | null {
  if (contentType === undefined) return false
  if (body === null) return /html|text\/plain/i.test(contentType) ? null : true
  const text = body.trim()
  return text !== '' && !/^internal server error\.?$/i.test(text) && !/__next_error__|"page":"\/_error"/.test(text)
}

/** Requests with trace headers of a sampled trace that a server of the test answered, neither cached nor prefetched. */
export const tracedRequests = (
  requests: readonly SeenRequest[],
  origins: readonly string[],
): readonly TracedRequest[] =>
  requests.flatMap((request) => {
    const { method, url, endedAt } = request
    const [traceId, spanId] = parentOf(request)?.split('-') ?? []
    if (traceId === undefined || spanId === undefined || endedAt === null || !origins.includes(originOf(url))) return []
    return [{ method, url, traceId, spanId, endedAt }]
  })
