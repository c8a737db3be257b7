import { keyPrefix, sameProject } from '../../lib/protocol/dsn'
import { addressOf, isDsn, type Upstream } from '../../lib/protocol/upstream-address'
import type { JournalFact } from '../../lib/wire/journal'
import type { Overview, UpstreamState } from '../../lib/wire/overview'
import type { Spool } from '../spool/spool'
import type { Send } from './http-sender'
import { type RelayTools, UpstreamRelay } from './upstream-relay'

export interface ConfiguredUpstream {
  readonly upstream: Upstream
  readonly standIn: boolean
}

/** One relay per configured upstream. An envelope goes only to the upstream with its key and project. */
export class Relay {
  readonly #relays: readonly UpstreamRelay[]
  readonly #reader: Pick<Spool, 'countPending' | 'stranded'>

  constructor(
    upstreams: readonly ConfiguredUpstream[],
    reader: Pick<Spool, 'countPending' | 'stranded'>,
    tools: Omit<RelayTools, 'send'>,
    newSend: () => Send,
  ) {
    const labels = labelsOf(upstreams.map(({ upstream }) => upstream))
    this.#relays = upstreams.map(
      ({ upstream, standIn }, at) =>
        new UpstreamRelay(upstream, standIn, labels[at] ?? labelOf(upstream), { ...tools, send: newSend() }),
    )
    this.#reader = reader
  }

  /** The relay of a key and project; undefined where none is configured. */
  upstreamFor(sent: { readonly publicKey: string; readonly projectId: string }): UpstreamRelay | undefined {
    return this.#relays.find((relay) => sameProject(relay.upstream, sent))
  }

  wake(upTo?: number): void {
    for (const relay of this.#relays) relay.wake(upTo)
  }

  /** Intake is no longer busy: more posts may be open. */
  resume(): void {
    for (const relay of this.#relays) relay.resume()
  }

  /** Passes facts of the journal to every relay; each one selects its own records. */
  onJournal(facts: readonly JournalFact[]): void {
    const seqsOf = (kind: JournalFact['kind']): readonly number[] =>
      facts.flatMap((fact) => (fact.kind === kind && fact.seq !== null ? [fact.seq] : []))
    // Expired and cleared records are among them. A copy may still be in memory.
    const decided = seqsOf('decided')
    for (const relay of this.#relays) relay.decided(decided)
    // Dead letters that a person sends again are older than the records that were read last.
    const pending = seqsOf('pending')
    const first = pending.reduce((least, seq) => Math.min(least, seq), Number.POSITIVE_INFINITY)
    if (pending.length > 0) for (const relay of this.#relays) relay.rewind(first)
    const newest = seqsOf('received').at(-1)
    if (newest !== undefined) this.wake(newest)
  }

  /**
   * Each upstream that backs off or is paused gets a probe now. @returns how many waited.
   * @param standInOnly the script of the stand-in changed, which says nothing about other upstreams.
   */
  tryNow(standInOnly = false): number {
    const relays = this.#relays.filter((relay) => relay.standIn || !standInOnly)
    return relays.filter((relay) => relay.tryNow()).length
  }

  /** As `UpstreamRelay.withhold`, for records of any upstream. */
  withhold(seqs: readonly number[]): ReturnType<UpstreamRelay['withhold']> {
    const each = this.#relays.map((relay) => relay.withhold(seqs))
    return {
      ended: Promise.all(each.map(({ ended }) => ended)).then((counts) => counts.reduce((sum, n) => sum + n, 0)),
      release: () => {
        for (const { release } of each) release()
      },
    }
  }

  upstreams(): readonly (ConfiguredUpstream & { readonly label: string })[] {
    return this.#relays.map(({ upstream, standIn, label }) => ({ upstream, standIn, label }))
  }

  async states(): Promise<UpstreamState[]> {
    return Promise.all(
      this.#relays.map(async (relay) =>
        relay.state(await this.#reader.countPending(relay.upstream.publicKey, relay.upstream.projectId)),
      ),
    )
  }

  /** Records pending to keys and projects that are not configured: they wait until a DSN of theirs is. */
  async stranded(): Promise<Overview['stranded']> {
    const configured = this.#relays.map(({ upstream: { publicKey, projectId } }) => ({ publicKey, project: projectId }))
    return [...(await this.#reader.stranded(configured))]
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.close(graceMs)))
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
