import type { Dsn } from '../../lib/protocol/dsn'
import { limitsOfAnswer, limitsTake, takes } from '../../lib/protocol/upstream-answer'
import type { Reader } from '../index/reader'
import type { Spool } from '../spool/spool'
import { clientReport, OWN_FACTS } from './client-report'
import { type RateLimits, storedLimits } from './limits'
import { post } from './post'
import type { Send } from './send'

/** What is cut at about the same time goes in one report. */
const GATHER_MS = 5000
/** A report of one upstream goes once in this time at most. */
const BETWEEN_MS = 60_000
/** An upstream that takes no reports is asked less and less often, this seldom at last. */
const LONGEST_MS = 60 * 60 * 1000
const TIMEOUT_MS = 10_000

export interface ReporterTools {
  readonly reader: Pick<Reader, 'unreported'>
  readonly spool: Pick<Spool, 'reported' | 'limit'>
  readonly limits: Pick<RateLimits, 'activeFor' | 'add'>
  /** Does it answer, as far as is known? One that backs off or is paused gets nothing more. */
  readonly isWell: (upstream: Dsn) => boolean
  readonly send: Send
  readonly now: () => number
  /** ms that only ever grow. */
  readonly monotonic: () => number
  /** Runs work later; returns how to take it back. */
  readonly later: (work: () => void, ms: number) => () => void
  /** Tells why something could not be read or written; the sums stay, and it is tried again. */
  readonly log: (sentence: string) => void
}

/**
 * Tells each upstream, in client reports of our own, what was cut before it was posted. What is to be told stands in the
 * spool, so that it survives a restart, and is subtracted when it was told: at least once. A report is no record of
 * ours: nobody sent it to us.
 */
export class Reporter {
  readonly #upstreams: readonly Dsn[]
  readonly #tools: ReporterTools
  readonly #abort = new AbortController()
  /** Of the clock that only grows: no report of an upstream goes before. */
  readonly #notBefore = new Map<Dsn, number>()
  readonly #refusals = new Map<Dsn, number>()
  #takeBack: (() => void) | null = null
  #running: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(upstreams: readonly Dsn[], tools: ReporterTools) {
    this.#upstreams = upstreams
    this.#tools = tools
  }

  /** Something was cut, or may have been in an earlier life. */
  wake(): void {
    if (this.#isClosed || this.#takeBack !== null) return
    this.#takeBack = this.#tools.later(() => this.#round(), GATHER_MS)
  }

  /** Reports what is left, and waits for its answers so long at most. What is not taken waits for the next start. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true
    this.#takeBack?.()
    const takeBack = this.#tools.later(() => this.#abort.abort(), graceMs)
    await this.#running
    await Promise.all(this.#upstreams.map((upstream) => this.#report(upstream)))
    takeBack()
  }

  #round(): void {
    this.#takeBack = null
    // Whoever reports while another does reads what that one is about to tell.
    this.#running = this.#running.then(() => this.#reportDue())
  }

  /** Reports to those whose turn it is, and comes again as long as something is left to tell. */
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
    this.#takeBack ??= this.#tools.later(() => this.#round(), wait)
  }

  /** @returns when to look again; `null` where there is nothing to tell. */
  async #report(upstream: Dsn): Promise<number | null> {
    const { reader, spool, limits, isWell, monotonic } = this.#tools
    const { publicKey, projectId } = upstream
    try {
      const discards = await reader.unreported(publicKey, projectId)
      if (discards.length === 0) return null
      const isLimited = limits.activeFor(publicKey, projectId).some(({ category }) => takes(category, 'internal'))
      if (isLimited || !isWell(upstream)) return monotonic() + BETWEEN_MS
      const isTaken = await this.#post(upstream, clientReport(upstream, discards, this.#tools.now()))
      this.#refusals.set(upstream, isTaken ? 0 : (this.#refusals.get(upstream) ?? 0) + 1)
      if (isTaken) await spool.reported(publicKey, projectId, discards)
    } catch (error) {
      this.#tools.log(`what was cut could not be reported: ${error instanceof Error ? error.message : String(error)}`)
    }
    const wait = Math.min(LONGEST_MS, BETWEEN_MS * 2 ** (this.#refusals.get(upstream) ?? 0))
    const notBefore = monotonic() + wait
    this.#notBefore.set(upstream, notBefore)
    return notBefore
  }

  /** @returns whether upstream took it. */
  async #post(upstream: Dsn, body: Uint8Array): Promise<boolean> {
    const { send, now, limits, spool } = this.#tools
    const { signal } = this.#abort
    const posted = await post({
      upstream,
      endpoint: 'envelope',
      body,
      facts: OWN_FACTS,
      send,
      timeoutMs: TIMEOUT_MS,
      signal,
    })
    if (posted.status === null) return false
    const told = limitsOfAnswer({ ...posted, status: posted.status }, now())
    const stored = storedLimits(told, upstream, null, now())
    limits.add(stored)
    if (stored.length > 0) await spool.limit(stored)
    // What it says it limits it did not take, whatever the status.
    return posted.status >= 200 && posted.status < 300 && !limitsTake(told, 'internal')
  }
}
