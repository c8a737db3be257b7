import { randomUUID } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { CONSENT_HEADER, type Consent } from '../protocol/consent'
import { OWN_HEADER, PAGE_HEADER, receiptAt, UNSEEN_HEADER, VISITOR_HEADER } from '../protocol/request'
import { fail, type Result, succeed } from '../protocol/result'
import { type BodyBudget, createBodyBudget } from './body-budget'
import { createDrain, type DrainReport } from './drain'
import { enforceConsent } from './enforce-consent'
import {
  type AcceptsSender,
  DEFAULT_MAX_HEADER_LINE,
  mayReadHeaderLine,
  readHeaderLine,
  readSender,
} from './envelope-header'
import { type Lasting, type LifeboatOptions, openLifeboat } from './lifeboat'
import { createPageReports } from './page-reports'
import {
  accepted,
  type BodyBlocks,
  createCollectorBreaker,
  createPost,
  problem,
  type TunnelAnswer,
  type TunnelEnvelope,
  type TunnelFetch,
  toResponse,
} from './post'
import {
  bodyOfBytes,
  DEFAULT_MAX_BYTES,
  EMPTY,
  type IncomingBody,
  openBody,
  type Schedule,
  scheduleUnref,
} from './read-body'
import { forwardedHeaders, isOwnOrLoopbackOrigin, noteOnStamp, receiptOfPage } from './read-request'
import { createRefusalReports } from './refusals'
import { createConsoleReport, type Report, safely } from './report'
import { authoriseTraces, ENVELOPE_PATH, type ProjectOfKey, toTracesResponse, UNSEEN_PATH } from './trace-request'
import { createUptime } from './uptime'
import { filesOfVisitors, newVisitorId, visitorOf } from './visitor'

/** For the whole exchange with the collector. */
const DEFAULT_TIMEOUT_MS = 5000

export interface TunnelOptions {
  /** Base address of the collector, such as http://127.0.0.1:8969. Telemetry goes only there. */
  readonly collectorUrl: string
  /** Compares key and project of an envelope's DSN with the configured ones. */
  readonly accepts: AcceptsSender
  /** Without it, the tunnel refuses OpenTelemetry with 404. */
  readonly projectOfKey?: ProjectOfKey
  /** Default: `isOwnOrLoopbackOrigin` (programs, the app's own pages, and pages of this machine). */
  readonly allowsOrigin?: (origin: string | null, host: string | null) => boolean
  /** Stores envelopes while the collector is down; `null` without a persistent disk. */
  readonly lifeboat: LifeboatOptions | null
  /** Of one envelope as received; default 20 MiB. Should equal the limit of the collector. */
  readonly maxBytes?: number
  /** Memory for the bodies that arrive at the same time; default 56 MiB. Give the tunnels of one process the same one. */
  readonly bodies?: BodyBudget
  /** Of the envelope header; default 8 KiB. Should equal the limit of the collector. */
  readonly maxHeaderLine?: number
  /** Default 5 s. */
  readonly timeoutMs?: number
  /** Set it only behind your own proxy, because any client can forge X-Forwarded-For. */
  readonly trustForwardedFor?: boolean
  /**
   * Only for Waystation's own app: its server, and the pages for which this returns true, are marked, so that the collector
   * can keep their telemetry on this machine.
   */
  readonly isOwnPage?: (origin: string | null, host: string | null) => boolean
  /**
   * Whether the sender of these headers may get a visitor's cookie, by which it finds and deletes what it sent. Default:
   * nobody does, and nothing is stored about a visitor.
   */
  readonly identifies?: (headers: Headers) => boolean
  /**
   * How much the browser that sent these headers lets pages send, such as `(headers) => consentOfRequest(headers, policy)`.
   * It holds for browsers alone, never for programs. Default: everything.
   */
  readonly consent?: (headers: Headers) => Consent
  /** The collector's token. A collector on another machine believes the tunnel's visitors only with it. */
  readonly token?: string
  /** Replace it when the app's SDK would trace it: the tunnel's own posts belong in no trace. */
  readonly fetch?: TunnelFetch
  /** Epoch ms. */
  readonly now?: () => number
  readonly newReceipt?: () => string
  /** 128 random bits as base64url. */
  readonly newVisitor?: () => string
  readonly schedule?: Schedule
  readonly report?: Report
}

/** The answer for an SDK transport. */
interface TransportAnswer {
  readonly statusCode: number
  /** True when the envelope waits in the lifeboat, because the collector did not answer. */
  readonly isWaiting: boolean
  readonly headers: {
    readonly 'x-sentry-rate-limits': string | null
    readonly 'retry-after': string | null
    readonly [other: string]: string | null
  }
}

export interface Tunnel {
  /** Counts one document that the app served, whose page should post here. Together with the posts it bounds the pages that were blocked. */
  served(): void
  /** Answers one request of an SDK. Never rejects. */
  handle(request: Request): Promise<Response>
  /**
   * Answers one export request of OpenTelemetry: spans as JSON or protobuf, with the key in the header `x-sentry-auth:
   * sentry sentry_key=KEY`. The same rules as for envelopes apply. Never rejects.
   */
  handleTraces(request: Request): Promise<Response>
  /**
   * `handle` without HTTP, for the app's own server SDK:
   * `transport: (options) => createTransport(options, ({ body }) => tunnel.send(body))`. Never rejects. The SDK must have its
   * `tunnel` option set; otherwise the envelope header contains no DSN.
   * @param headers request headers; the same rules apply. With those of a page that posts a form, the answer may have a
   * `set-cookie` for it
   */
  send(body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<TransportAnswer>
  /** Delivers the envelopes of the lifeboat. Call it once at start; later drains start by themselves. */
  drain(): Promise<DrainReport>
  /** The number of envelopes in the lifeboat that some visitors sent, or why it cannot be read. @param visitors hashes */
  waiting(visitors: readonly string[]): Promise<Result<number, string>>
  /** Removes them, also those that the collector refused. @returns their number */
  forget(visitors: readonly string[]): Promise<Result<number, string>>
  /** Tests whether stored envelopes would survive the process, for a start message. */
  lasting(): Promise<Lasting>
  /** Stops retries and waits for the current delivery. Stored envelopes stay stored. */
  close(): Promise<void>
}

/** `aborted` as soon as the sender's connection is closed. */
type ClientSignal = Pick<AbortSignal, 'aborted'>
/** A program in this process has no connection. */
const PROGRAM: ClientSignal = { aborted: false }

const NOTHING_DRAINED: DrainReport = { delivered: 0, refused: 0, unreadable: 0, left: 0, stopped: null }
const NO_LIFEBOAT = 'no lifeboat is configured'

/**
 * Creates a tunnel: it forwards envelopes to the collector byte for byte, and stores them while the collector is down.
 * Creating one uses neither disk nor network, because Next imports route modules during a build.
 */
export function createTunnel(options: TunnelOptions): Tunnel {
  const collectorUrl = baseUrl(options.collectorUrl)
  if (options.lifeboat !== null && !isAbsolute(options.lifeboat.folder))
    throw new TypeError(`lifeboat.folder must be an absolute path, got ${JSON.stringify(options.lifeboat.folder)}`)
  const { accepts, allowsOrigin = isOwnOrLoopbackOrigin, maxBytes = DEFAULT_MAX_BYTES, now = Date.now } = options
  const { maxHeaderLine = DEFAULT_MAX_HEADER_LINE, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const { newReceipt = timedReceipt, schedule = scheduleUnref, trustForwardedFor = false } = options
  const { newVisitor = newVisitorId } = options
  const budget = options.bodies ?? createBodyBudget()
  const report = safely(options.report ?? createConsoleReport(now))
  const fetchLike: TunnelFetch = options.fetch ?? ((to, init) => fetch(to, init))
  const post = createPost(collectorUrl, timeoutMs, fetchLike, options.token ?? null)
  const refusals = createRefusalReports(collectorUrl, fetchLike, (cause) => report({ kind: 'uncounted', cause }))
  const pages = createPageReports(collectorUrl, {
    fetch: fetchLike,
    schedule,
    onFailure: (cause) => report({ kind: 'uncounted', cause }),
  })
  const breaker = createCollectorBreaker(now, (cause) =>
    report(cause === null ? { kind: 'up' } : { kind: 'down', cause }),
  )
  const lifeboat = options.lifeboat === null ? null : openLifeboat(options.lifeboat, now, createUptime())
  const drain = lifeboat === null ? null : createDrain({ lifeboat, post, breaker, schedule, report })

  async function answerEnvelope(request: Request): Promise<TunnelAnswer> {
    return refuseRequest(request) ?? receive(request, (body) => receiveEnvelope(body, request))
  }

  async function receiveEnvelope(body: IncomingBody, { headers, signal }: Request): Promise<TunnelAnswer> {
    const encoding = headers.get('content-encoding')
    const head = await body.read(mayReadHeaderLine(encoding, maxHeaderLine))
    if (!head.ok) return head.error
    const refusal = await refuseSender(head.value, encoding, head.value.ended)
    if (refusal !== null) return refusal
    const whole = await body.read()
    return whole.ok ? forward(ENVELOPE_PATH, whole.value, headers, signal) : whole.error
  }

  async function answerTraces(request: Request): Promise<TunnelAnswer> {
    const refusal = refuseRequest(request)
    if (refusal !== null) return refusal
    const path = authoriseTraces(request.headers, accepts, options.projectOfKey ?? null)
    if (!path.ok) return path.error
    return receive(request, async (body) => {
      const whole = await body.read()
      return whole.ok ? forward(path.value, whole.value, request.headers, request.signal) : whole.error
    })
  }

  /** Holds the memory of the body until it is delivered or stored. */
  async function receive(request: Request, work: (body: IncomingBody) => Promise<TunnelAnswer>): Promise<TunnelAnswer> {
    const body = openBody(request, { maxBytes, budget })
    if (!body.ok) return body.error
    try {
      return await work(body.value)
    } finally {
      body.value.close()
    }
  }

  function refuseRequest({ method, headers }: Request): TunnelAnswer | null {
    if (method !== 'POST') return problem(405, 'the tunnel accepts only POST', [], { allow: 'POST' })
    if (allowsOrigin(headers.get('origin'), headers.get('host'))) return null
    return problem(403, 'pages of this origin may not send here', ["only the app's own pages and programs may"])
  }

  const isOwn = (received: Headers, sender: ClientSignal): boolean =>
    options.isOwnPage !== undefined &&
    (sender === PROGRAM || options.isOwnPage(received.get('origin'), received.get('host')))

  async function refuseSender(
    head: BodyBlocks,
    encoding: string | null,
    isWhole: boolean,
  ): Promise<TunnelAnswer | null> {
    const line = await readHeaderLine(head, encoding, maxHeaderLine, isWhole)
    if (!line.ok) return line.error
    const authorised = readSender(line.value, accepts)
    return authorised.ok ? null : authorised.error
  }

  async function forward(
    path: string,
    body: BodyBlocks,
    received: Headers,
    sender: ClientSignal,
  ): Promise<TunnelAnswer> {
    const consent = isOfBrowser(received) ? (options.consent?.(received) ?? 'all') : 'all'
    // Our own server passes on what a visitor wrote and sent on purpose.
    const allowed =
      sender === PROGRAM
        ? succeed(body)
        : enforceConsent(consent, body, received.get('content-encoding'), path !== ENVELOPE_PATH)
    if (!allowed.ok) return allowed.error
    const mayIdentify = consent !== 'off' && options.identifies?.(received) === true
    const visitor = mayIdentify ? visitorOf(received, newVisitor) : null
    const headers = {
      ...forwardedHeaders(received, trustForwardedFor),
      ...(consent === 'kept' && { [CONSENT_HEADER]: consent }),
      ...(isOwn(received, sender) && { [OWN_HEADER]: '1' }),
      ...(visitor !== null && { [VISITOR_HEADER]: visitor.hash }),
    }
    const page = received.get(PAGE_HEADER)
    if (page !== null && isOfBrowser(received)) pages.posted(page.slice(0, 64))
    const given = receiptOfPage(received)
    const envelope = { receipt: given ?? newReceipt(), path, headers, body: allowed.value }
    // A page with a receipt sends again what it saw no answer to, and counts no loss.
    const answer = await postOrStore(envelope, given === null ? sender : PROGRAM)
    const note = noteOnStamp(received)
    const added = {
      ...(note !== null && { 'x-waystation-note': note }),
      ...(visitor?.cookie && { 'set-cookie': visitor.cookie }),
    }
    const { byTunnel, ...own } = answer
    // A page with a receipt tries again after 503: only envelopes that nobody tries again count as refused.
    const isRefusal = byTunnel === true && !(given !== null && own.status === 503)
    return { ...own, ...(isRefusal && { byTunnel }), headers: { ...own.headers, ...added } }
  }

  async function postOrStore(envelope: TunnelEnvelope, sender: ClientSignal): Promise<TunnelAnswer> {
    const isPosted = breaker.tryPass()
    const answer: Result<TunnelAnswer, string> = isPosted
      ? await post(envelope)
      : fail(`not tried, because it just failed: ${breaker.cause() ?? ''}`)
    if (answer.ok) {
      breaker.succeeded()
      drain?.collectorAnswered()
      if (sender.aborted && answer.value.status < 300) await reportUnseen(envelope)
      return answer.value
    }
    if (isPosted) breaker.failed(answer.error)
    if (!sender.aborted) return store(envelope, answer.error)
    return store({ ...envelope, headers: { ...envelope.headers, [UNSEEN_HEADER]: '1' } }, answer.error)
  }

  /** The sender left before this answer and will count the envelope as lost; the collector has it. */
  async function reportUnseen({ receipt, path }: TunnelEnvelope): Promise<void> {
    if (path !== ENVELOPE_PATH) return
    const answer = await post({ receipt, path: UNSEEN_PATH, headers: {}, body: { blocks: [], byteLength: 0 } })
    if (!answer.ok) report({ kind: 'unreported', receipt, cause: answer.error })
  }

  async function store(envelope: TunnelEnvelope, cause: string): Promise<TunnelAnswer> {
    const { receipt, body } = envelope
    const stored = lifeboat === null ? fail(NO_LIFEBOAT) : await lifeboat.store(envelope)
    if (stored.ok) {
      drain?.envelopeStored()
      report({ kind: 'kept', receipt, byteLength: body.byteLength, cause })
      return accepted
    }
    const causes = [cause, stored.error]
    report({ kind: 'lost', receipt, byteLength: body.byteLength, causes })
    return problem(503, 'the collector did not accept the envelope, and it could not be stored', causes)
  }

  async function withReport(work: () => Promise<TunnelAnswer>): Promise<TunnelAnswer> {
    try {
      const answer = await work()
      if (answer.status >= 400 && answer.status < 500)
        report({ kind: 'refused', status: answer.status, detail: answer.body })
      if (answer.byTunnel === true && answer !== EMPTY) refusals.add(answer.status)
      return answer
    } catch (error) {
      report({ kind: 'bug', error })
      return problem(500, 'internal error of the tunnel; the envelope was not accepted')
    }
  }

  return {
    handle: async (request) => toResponse(await withReport(() => answerEnvelope(request))),
    handleTraces: async (request) => toTracesResponse(await withReport(() => answerTraces(request)), request.headers),
    async send(sent, headers = {}) {
      const answer = await withReport(async () => {
        const body = bodyOfBytes(typeof sent === 'string' ? new TextEncoder().encode(sent) : sent, maxBytes)
        if (!body.ok) return body.error
        const received = new Headers(headers)
        const refusal = await refuseSender(body.value, received.get('content-encoding'), true)
        return refusal ?? forward(ENVELOPE_PATH, body.value, received, PROGRAM)
      })
      return {
        statusCode: answer.status,
        isWaiting: answer.isWaiting === true,
        headers: {
          'x-sentry-rate-limits': answer.headers['x-sentry-rate-limits'] ?? null,
          'retry-after': answer.headers['retry-after'] ?? null,
          ...(answer.headers['set-cookie'] !== undefined && { 'set-cookie': answer.headers['set-cookie'] }),
        },
      }
    },
    served: pages.served,
    drain: async () => (drain === null ? NOTHING_DRAINED : drain.run()),
    async waiting(visitors) {
      const names = lifeboat === null ? succeed([]) : await filesOfVisitors(lifeboat, visitors)
      return names.ok ? succeed(names.value.length) : names
    },
    async forget(visitors) {
      if (lifeboat === null) return succeed(0)
      const names = await filesOfVisitors(lifeboat, visitors)
      if (!names.ok) return names
      for (const name of names.value) {
        const removed = await lifeboat.remove(name)
        if (!removed.ok) return removed
      }
      return succeed(names.value.length)
    },
    lasting: async () => lifeboat?.lasting() ?? { lasting: false, reason: NO_LIFEBOAT },
    close: async () => drain?.close(),
  }
}

/** Browsers name the origin of a page that posts, and cookies come from browsers alone. */
const isOfBrowser = (received: Headers): boolean => received.has('origin') || received.has('cookie')

function baseUrl(collectorUrl: string): string {
  const rule = 'collectorUrl must be an address such as http://127.0.0.1:8969'
  if (!URL.canParse(collectorUrl)) throw new TypeError(`${rule}, got ${JSON.stringify(collectorUrl)}`)
  const { protocol, username, password, origin, pathname, search, hash } = new URL(collectorUrl)
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '')
    throw new TypeError(`${rule}; it has more than an origin and a path`)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

const timedReceipt = (): string => receiptAt(Date.now(), randomUUID())
