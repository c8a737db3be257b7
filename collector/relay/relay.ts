import { keyPrefix, sameProject } from '../../lib/protocol/dsn'
import { addressOf, isDsn, type Upstream } from '../../lib/protocol/upstream-address'
import type { JournalFact } from '../../lib/wire/journal'
import type { Overview, UpstreamState } from '../../lib/wire/overview'
import type { Spool } from '../spool/spool'
import type { Send } from './http-sender'
import { type ConfiguredUpstream, RelayedUpstream } from './relayed-upstream'
import { type SharedRecord, UpstreamLanes } from './upstream-lanes'
import type { RelayTools } from './upstream-relay'

/**
 * One relay per configured upstream, or with a shared record per lane that this collector owns. An envelope goes only to
 * the upstream with its key and project.
 */
export class Relay {
  readonly #upstreams: readonly RelayedUpstream[]
  readonly #reader: Pick<Spool, 'countPending' | 'stranded'>
  readonly #lanes: UpstreamLanes | null

  /** @param shared `null`: the record belongs to this collector alone, which owns every upstream */
  constructor(
    upstreams: readonly ConfiguredUpstream[],
    reader: Pick<Spool, 'countPending' | 'stranded'>,
    tools: Omit<RelayTools, 'send'>,
    newSend: () => Send,
    shared: SharedRecord | null = null,
  ) {
    const labels = labelsOf(upstreams.map(({ upstream }) => upstream))
    this.#upstreams = upstreams.map(
      (configured, at) =>
        new RelayedUpstream(configured, labels[at] ?? labelOf(configured.upstream), { ...tools, send: newSend() }),
    )
    this.#reader = reader
    const { later, log } = tools
    this.#lanes = shared === null ? null : new UpstreamLanes(this.#upstreams, { ...shared, later, log })
    if (this.#lanes === null) for (const upstream of this.#upstreams) upstream.own()
  }

  /** Begins to post, with a shared record what belongs to lanes that this collector can take. */
  start(): void {
    if (this.#lanes === null) this.wake()
    else this.#lanes.start()
  }

  /** The configured upstream of a key and project, also while another collector relays to it. */
  upstreamFor(sent: { readonly publicKey: string; readonly projectId: string }): RelayedUpstream | undefined {
    return this.#upstreams.find(({ upstream }) => sameProject(upstream, sent))
  }

  wake(upTo?: number): void {
    for (const upstream of this.#upstreams) upstream.wake(upTo)
  }

  /** Intake is no longer busy: more posts may be open. */
  resume(): void {
    for (const upstream of this.#upstreams) upstream.resume()
  }

  /** Passes facts of the journal to every upstream; each one selects its own records. */
  onJournal(facts: readonly JournalFact[]): void {
    const seqsOf = (kind: JournalFact['kind']): readonly number[] =>
      facts.flatMap((fact) => (fact.kind === kind && fact.seq !== null ? [fact.seq] : []))
    // Expired and cleared records are among them. A copy may still be in memory.
    const decided = seqsOf('decided')
    for (const upstream of this.#upstreams) upstream.decided(decided)
    // Dead letters that a person sends again are older than the records that were read last.
    const pending = seqsOf('pending')
    const first = pending.reduce((least, seq) => Math.min(least, seq), Number.POSITIVE_INFINITY)
    if (pending.length > 0) for (const upstream of this.#upstreams) upstream.rewind(first)
    const newest = seqsOf('received').at(-1)
    if (newest !== undefined) this.wake(newest)
  }

  /**
   * Each upstream of this collector that backs off or is paused gets a probe now. @returns how many waited.
   * @param standInOnly the script of the stand-in changed, which says nothing about other upstreams.
   */
  tryNow(standInOnly = false): number {
    const tried = this.#upstreams.filter(({ standIn }) => standIn || !standInOnly)
    return tried.filter((upstream) => upstream.tryNow()).length
  }

  /** As `UpstreamRelay.withhold`, for records of any upstream. */
  withhold(seqs: readonly number[]): ReturnType<RelayedUpstream['withhold']> {
    const each = this.#upstreams.map((upstream) => upstream.withhold(seqs))
    return {
      ended: Promise.all(each.map(({ ended }) => ended)).then((counts) => counts.reduce((sum, n) => sum + n, 0)),
      release: () => {
        for (const { release } of each) release()
      },
    }
  }

  upstreams(): readonly (ConfiguredUpstream & { readonly label: string })[] {
    return this.#upstreams.map(({ upstream, standIn, label }) => ({ upstream, standIn, label }))
  }

  /** Of an upstream to which another collector relays, the state that it published. */
  async states(): Promise<UpstreamState[]> {
    const statusOf = this.#lanes === null ? () => null : await this.#lanes.statuses()
    return Promise.all(
      this.#upstreams.map(async (one) =>
        one.state(await this.#reader.countPending(one.upstream.publicKey, one.upstream.projectId), statusOf(one)),
      ),
    )
  }

  /** Records pending to keys and projects that are not configured: they wait until a DSN of theirs is. */
  async stranded(): Promise<Overview['stranded']> {
    const configured = this.#upstreams.map(({ upstream: { publicKey, projectId } }) => ({
      publicKey,
      project: projectId,
    }))
    return [...(await this.#reader.stranded(configured))]
  }

  /** Starts nothing more and aborts open posts after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#lanes?.end()
    await Promise.all(this.#upstreams.map((upstream) => upstream.close(graceMs)))
  }

  /** Lets other collectors take its lanes at once. Call it after `close`. */
  async releaseLanes(): Promise<void> {
    await this.#lanes?.release()
  }
}

/** Names an upstream by host and project, never by the whole key or a password. */
function labelOf(upstream: Upstream): string {
  const address = addressOf(upstream)
  const place = `${address.host}${address.path}${isDsn(address) ? `/${address.projectId}` : ''}`
  return isDsn(upstream) ? place : `${place} (OpenTelemetry)`
}

/** Labels of several upstreams. If two differ only by their key, each begins with enough of its key to differ. */
export function labelsOf(upstreams: readonly Upstream[]): readonly string[] {
  return upstreams.map((upstream) => {
    const label = labelOf(upstream)
    const others = upstreams.filter((other) => other !== upstream && labelOf(other) === label)
    if (others.length === 0) return label
    const marks = others.map(({ publicKey }) => keyPrefix(publicKey))
    const mark = keyPrefix(upstream.publicKey)
    return `${marks.includes(mark) ? upstream.publicKey : mark}@${label}`
  })
}
