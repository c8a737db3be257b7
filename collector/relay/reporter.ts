import { type Dsn, formatDsn } from '../../lib/protocol/dsn'
import { isLimited, limitAppliesTo, limitsOfAnswer } from '../../lib/protocol/rate-limits'
import { type Discard, NO_REQUEST } from '../../lib/protocol/submission'
import { addressOf, isDsn, type Upstream } from '../../lib/protocol/upstream-address'
import type { StartTimer } from '../../lib/time'
import type { Spool } from '../spool/spool'
import type { Send } from './http-sender'
import { storedLimits } from './limit-headers'
import { post } from './post-record'
import type { RateLimits } from './running-limits'

const GATHER_MS = 5000
/** The shortest time between two reports to one upstream. */
const BETWEEN_MS = 60_000
/** The longest time between reports to an upstream that refuses them. */
const LONGEST_MS = 60 * 60 * 1000
const TIMEOUT_MS = 10_000

interface ReporterTools {
  readonly reader: Pick<Spool, 'unreported'>
  readonly spool: Pick<Spool, 'subtractReported' | 'storeLimits'>
  readonly rateLimits: Pick<RateLimits, 'activeFor' | 'add'>
  /** Whether this collector reports to it. Of several, the owner of the first lane reports what any of them cut. */
  readonly isRelayed: (upstream: Upstream) => boolean
  /** Whether it answered its last post. An upstream that backs off or is paused gets no reports. */
  readonly isHealthy: (upstream: Upstream) => boolean
  readonly send: Send
  readonly now: () => number
  readonly monotonic: () => number
  readonly later: StartTimer
  readonly log: (line: string) => void
}

/**
 * Reports to each upstream what was cut before it was posted. The sums are in the spool and are subtracted after a
 * report was accepted, so each cut is reported at least once. A report is not a record: nobody sent it to us.
 */
export class Reporter {
  readonly #upstreams: readonly Upstream[]
  readonly #tools: ReporterTools
  readonly #abort = new AbortController()
  readonly #notBefore = new Map<Upstream, number>()
  readonly #refusals = new Map<Upstream, number>()
  #cancel: (() => void) | null = null
  #running: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(upstreams: readonly Upstream[], tools: ReporterTools) {
    this.#upstreams = upstreams
    this.#tools = tools
  }

  /** Something was cut, or may have been before the last restart. */
  wake(): void {
    if (this.#isClosed || this.#cancel !== null) return
    this.#cancel = this.#tools.later(() => this.#round(), GATHER_MS)
  }

  /** Reports what is left and waits up to `graceMs` for the answers. Unaccepted sums wait for the next start. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true
    this.#cancel?.()
    const cancel = this.#tools.later(() => this.#abort.abort(), graceMs)
    await this.#running
    await Promise.all(this.#upstreams.map((upstream) => this.#report(upstream)))
    cancel()
  }

  #round(): void {
    this.#cancel = null
    // One round after another: two at once would report the same sums.
    this.#running = this.#running.then(() => this.#reportDue())
  }

  async #reportDue(): Promise<void> {
    const now = this.#tools.monotonic()
    const left = await Promise.all(
      this.#upstreams.map(async (upstream) => {
        const notBefore = this.#notBefore.get(upstream) ?? now
        return notBefore > now ? notBefore : this.#report(upstream)
      }),
    )
    if (this.#isClosed) return
    const next = left.filter((at) => at !== null)
    if (next.length === 0) return
    const wait = Math.max(GATHER_MS, Math.min(...next) - this.#tools.monotonic())
    this.#cancel ??= this.#tools.later(() => this.#round(), wait)
  }

  /** @returns when to try again; `null` where nothing is left to report. */
  async #report(upstream: Upstream): Promise<number | null> {
    const { reader, spool, rateLimits, isRelayed, isHealthy, monotonic } = this.#tools
    const { publicKey, projectId } = upstream
    const address = addressOf(upstream)
    // Another OTLP endpoint takes no client reports, and none are stored for it.
    if (!isDsn(address) || !isRelayed(upstream)) return null
    try {
      const discards = await reader.unreported(publicKey, projectId)
      if (discards.length === 0) return null
      const isLimited = rateLimits
        .activeFor(publicKey, projectId)
        .some(({ category }) => limitAppliesTo(category, 'internal'))
      if (isLimited || !isHealthy(upstream)) return monotonic() + BETWEEN_MS
      const isAccepted = await this.#post(upstream, address, clientReport(address, discards, this.#tools.now()))
      this.#refusals.set(upstream, isAccepted ? 0 : (this.#refusals.get(upstream) ?? 0) + 1)
      if (isAccepted) await spool.subtractReported(publicKey, projectId, discards)
    } catch (error) {
      this.#tools.log(`cut items could not be reported: ${error instanceof Error ? error.message : String(error)}`)
    }
    const wait = Math.min(LONGEST_MS, BETWEEN_MS * 2 ** (this.#refusals.get(upstream) ?? 0))
    const notBefore = monotonic() + wait
    this.#notBefore.set(upstream, notBefore)
    return notBefore
  }

  /** @returns whether upstream accepted it. */
  async #post(upstream: Upstream, address: Dsn, body: Uint8Array): Promise<boolean> {
    const { send, now, rateLimits, spool } = this.#tools
    const { signal } = this.#abort
    const posted = await post({
      address,
      endpoint: 'envelope',
      body,
      stamp: null,
      // A client report of our own belongs to no received request.
      facts: NO_REQUEST,
      send,
      timeoutMs: TIMEOUT_MS,
      signal,
    })
    if (posted.status === null) return false
    const reported = limitsOfAnswer({ ...posted, status: posted.status }, now())
    const stored = storedLimits(reported, upstream, null, now())
    rateLimits.add(stored)
    if (stored.length > 0) await spool.storeLimits(stored)
    // An answer that limits reports did not accept this one, whatever its status.
    return posted.status >= 200 && posted.status < 300 && !isLimited(reported, 'internal')
  }
}

/** Sentry's "Client Reports", with the upstream's own DSN. @param now ms since the epoch, when it is sent. */
function clientReport(upstream: Dsn, discards: readonly Discard[], now: number): Uint8Array {
  const discarded = discards.map(({ reason, category, quantity }) => ({ reason, category, quantity }))
  const lines = [
    { dsn: formatDsn(upstream), sent_at: new Date(now).toISOString() },
    { type: 'client_report' },
    { timestamp: now / 1000, discarded_events: discarded },
  ]
  return new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n'))
}
