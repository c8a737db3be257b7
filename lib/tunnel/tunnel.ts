import { randomUUID } from 'node:crypto'
import { isAbsolute } from 'node:path'
import { receiptAt } from '../protocol/request'
import { fail, type Result } from '../protocol/result'
import { type Admits, admit } from './admission'
import { type Answer, accepted, problem, toResponse } from './answer'
import { createDrain, type DrainReport, type Schedule } from './drain'
import { DEFAULT_MAX_HEADER_LINE, firstLine } from './first-line'
import { createGate } from './gate'
import { type Lasting, type LifeboatOptions, openLifeboat } from './lifeboat'
import { isOwnOrLoopbackOrigin } from './origin'
import { noteOf, passedOn } from './pass-on'
import { createPost, type Posted, type TunnelFetch } from './post'
import { DEFAULT_MAX_BYTES, type HeldBody, holdBytes, readBody } from './read-body'
import { type Report, reportToConsole, safely } from './tunnel-event'

/** The collector has so long for the whole exchange. */
const DEFAULT_TIMEOUT_MS = 5000
/** A sender that goes on after a refusal has so long to read the answer before it is cut off. */
const LINGER_MS = 1000

export interface TunnelOptions {
  /** Where the collector listens, such as http://127.0.0.1:8969. Envelopes go to `/tunnel` under it and nowhere else. */
  readonly collectorUrl: string
  /** Compares the key and project of an envelope's DSN with the configured ones. */
  readonly admits: Admits
  /** By default programs, the app's own pages, and pages of this machine: `isOwnOrLoopbackOrigin`. */
  readonly allowsOrigin?: (origin: string | null, host: string | null) => boolean
  /** Where envelopes wait while the collector is down; `null` where there is no lasting disk. */
  readonly lifeboat: LifeboatOptions | null
  /** Of one envelope as it comes; 20 MiB. */
  readonly maxBytes?: number
  /** Of the envelope header; 8 KiB. Like `maxBytes` it is to be what the collector takes. */
  readonly maxHeaderLine?: number
  /** 5 s. */
  readonly timeoutMs?: number
  /** Only with a proxy of your own in front, for anybody can write an X-Forwarded-For. */
  readonly trustForwardedFor?: boolean
  /** Wrap it where the app's SDK would trace it: the tunnel's own posts belong in no trace. */
  readonly fetch?: TunnelFetch
  /** Epoch ms. */
  readonly now?: () => number
  readonly newReceipt?: () => string
  readonly schedule?: Schedule
  readonly report?: Report
}

/** The part of an answer that an SDK's transport wants back. */
export interface TransportAnswer {
  readonly statusCode: number
  readonly headers: {
    readonly 'x-sentry-rate-limits': string | null
    readonly 'retry-after': string | null
    readonly [other: string]: string | null
  }
}

export interface Tunnel {
  /** Answers one request of an SDK. Never rejects. */
  handle(request: Request): Promise<Response>
  /**
   * The same path without HTTP, for the app's own server SDK:
   * `transport: (options) => createTransport(options, ({ body }) => tunnel.send(body))`. Never rejects. The SDK writes
   * the DSN into the envelope header, where it is looked for, only when its `tunnel` option is set.
   * @param headers as a request would have them, under the same rules of what is passed on.
   */
  send(body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<TransportAnswer>
  /** Empties the lifeboat; to be called once at start. Later it happens by itself. */
  drain(): Promise<DrainReport>
  /** Tries whether what is kept would last, for a start message. */
  lasting(): Promise<Lasting>
  /** Ends the retries and waits for the delivery under way. What is kept stays kept. */
  close(): Promise<void>
}

const NOTHING_KEPT: DrainReport = { delivered: 0, refused: 0, unreadable: 0, left: 0, stopped: null }

/**
 * The tunnel: takes envelopes and hands them to the collector, byte for byte, and keeps them while it is down.
 * Making one touches neither disk nor network, because Next imports route modules while it builds.
 */
export function createTunnel(options: TunnelOptions): Tunnel {
  const url = tunnelUrl(options.collectorUrl)
  if (options.lifeboat !== null && !isAbsolute(options.lifeboat.folder))
    throw new TypeError(
      `the lifeboat's folder is ${JSON.stringify(options.lifeboat.folder)}, meant is an absolute path`,
    )
  const { admits, allowsOrigin = isOwnOrLoopbackOrigin, maxBytes = DEFAULT_MAX_BYTES, now = Date.now } = options
  const { maxHeaderLine = DEFAULT_MAX_HEADER_LINE } = options
  const { newReceipt = timedReceipt, schedule = scheduleUnref, trustForwardedFor = false } = options
  const report = safely(options.report ?? reportToConsole)
  const post = createPost(
    url,
    options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    options.fetch ?? ((to, init) => fetch(to, init)),
  )
  const gate = createGate(now, (cause) => report(cause === null ? { kind: 'up' } : { kind: 'down', cause }))
  const lifeboat = options.lifeboat === null ? null : openLifeboat(options.lifeboat, now)
  const drain = lifeboat === null ? null : createDrain({ lifeboat, post, gate, schedule, report })

  async function answerRequest(request: Request): Promise<Answer> {
    if (request.method !== 'POST') return problem(405, 'the tunnel takes envelopes by POST', [], { allow: 'POST' })
    const origin = request.headers.get('origin')
    if (!allowsOrigin(origin, request.headers.get('host')))
      return problem(403, 'pages of this origin may not send here', ["the app's own pages and programs may"])
    const body = await readBody(request, maxBytes, hangUp)
    return takeOrRefuse(body, request.headers)
  }

  async function takeOrRefuse(body: Result<HeldBody, Answer>, received: Headers): Promise<Answer> {
    if (!body.ok) return body.error
    const line = await firstLine(body.value, received.get('content-encoding'), maxHeaderLine)
    if (!line.ok) return line.error
    const sender = admit(line.value, admits)
    if (!sender.ok) return sender.error
    const headers = passedOn(received, trustForwardedFor)
    const answer = await take({ receipt: newReceipt(), headers, body: body.value })
    const note = noteOf(received)
    return note === null ? answer : { ...answer, headers: { ...answer.headers, 'x-waystation-note': note } }
  }

  async function take(envelope: Posted): Promise<Answer> {
    const isHeld = !gate.enter()
    const answer = isHeld ? fail(`it was left alone after it failed: ${gate.cause() ?? ''}`) : await post(envelope)
    if (answer.ok) {
      gate.succeeded()
      drain?.collectorAnswered()
      return answer.value
    }
    if (!isHeld) gate.failed(answer.error)
    return keep(envelope, answer.error)
  }

  async function keep(envelope: Posted, cause: string): Promise<Answer> {
    const { receipt, body } = envelope
    const kept = lifeboat === null ? fail('there is no lifeboat here') : await lifeboat.keep(envelope)
    if (kept.ok) {
      drain?.kept()
      report({ kind: 'kept', receipt, byteLength: body.byteLength, cause })
      return accepted
    }
    const causes = [cause, kept.error]
    report({ kind: 'lost', receipt, byteLength: body.byteLength, causes })
    return problem(503, 'the collector did not take the envelope, and it could not be kept', causes)
  }

  /** Answers first and hangs up later: to end a request's stream at once ends its socket, and nobody reads the answer. */
  function hangUp(cancel: () => Promise<void>): void {
    schedule(() => {
      cancel().catch((error: unknown) => report({ kind: 'bug', error }))
    }, LINGER_MS)
  }

  async function guarded(work: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await work()
      if (answer.status >= 400 && answer.status < 500)
        report({ kind: 'refused', status: answer.status, detail: answer.body })
      return answer
    } catch (error) {
      report({ kind: 'bug', error })
      return problem(500, 'the tunnel failed on its own; the envelope was not taken')
    }
  }

  return {
    handle: async (request) => toResponse(await guarded(() => answerRequest(request))),
    async send(body, headers = {}) {
      const { status, headers: said } = await guarded(async () => {
        const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
        return takeOrRefuse(holdBytes(bytes, maxBytes), new Headers(headers))
      })
      return {
        statusCode: status,
        headers: {
          'x-sentry-rate-limits': said['x-sentry-rate-limits'] ?? null,
          'retry-after': said['retry-after'] ?? null,
        },
      }
    },
    drain: async () => (drain === null ? NOTHING_KEPT : drain.run()),
    lasting: async () => lifeboat?.lasting() ?? { lasting: false, reason: 'there is no lifeboat here' },
    close: async () => drain?.close(),
  }
}

function tunnelUrl(collectorUrl: string): string {
  const meant = 'meant is an address such as http://127.0.0.1:8969'
  if (!URL.canParse(collectorUrl)) throw new TypeError(`collectorUrl is ${JSON.stringify(collectorUrl)}, ${meant}`)
  const { protocol, username, password, origin, pathname, search, hash } = new URL(collectorUrl)
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '')
    throw new TypeError(`collectorUrl has more than an origin and a path, ${meant}`)
  return `${origin}${pathname.replace(/\/+$/, '')}/tunnel`
}

const scheduleUnref: Schedule = (work, ms) => {
  const timer = setTimeout(work, ms)
  timer.unref()
  return () => clearTimeout(timer)
}

const timedReceipt = (): string => receiptAt(Date.now(), randomUUID())
