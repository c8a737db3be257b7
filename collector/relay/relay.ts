import { type Dsn, sameProject } from '../../lib/protocol/dsn'
import type { JournalFact } from '../../lib/wire/journal'
import type { Overview, UpstreamState } from '../../lib/wire/overview'
import type { Reader } from '../index/reader'
import { labelsOf } from './labels'
import type { RelayTools } from './relay-tools'
import type { Send } from './send'
import { UpstreamRelay } from './upstream-relay'

export interface ConfiguredUpstream {
  readonly dsn: Dsn
  readonly standIn: boolean
}

/** One relay per configured upstream; an envelope goes to the one that has its key and project, never elsewhere. */
export class Relay {
  readonly #relays: readonly UpstreamRelay[]
  readonly #reader: Pick<Reader, 'countPending' | 'stranded'>

  /** @param newSend connections of its own for each upstream. */
  constructor(
    upstreams: readonly ConfiguredUpstream[],
    reader: Pick<Reader, 'countPending' | 'stranded'>,
    tools: Omit<RelayTools, 'send'>,
    newSend: () => Send,
  ) {
    const labels = labelsOf(upstreams.map(({ dsn }) => dsn))
    this.#relays = upstreams.map(
      ({ dsn, standIn }, at) => new UpstreamRelay(dsn, standIn, { ...tools, send: newSend() }, labels[at]),
    )
    this.#reader = reader
  }

  /** The upstream for a key and project, if one is configured. */
  upstreamFor(sent: { readonly publicKey: string; readonly projectId: string }): UpstreamRelay | undefined {
    return this.#relays.find((relay) => sameProject(relay.dsn, sent))
  }

  /** @param upTo the newest record. */
  wake(upTo?: number): void {
    for (const relay of this.#relays) relay.wake(upTo)
  }

  /** Intake has its hands free again: more may be open. */
  resume(): void {
    for (const relay of this.#relays) relay.resume()
  }

  /** What the journal says of records, whosever they are: each relay takes up its own. */
  onJournal(facts: readonly JournalFact[]): void {
    const seqsOf = (wanted: JournalFact['kind']): readonly number[] =>
      facts.flatMap(({ kind, seq }) => (kind === wanted && seq !== null ? [seq] : []))
    // Among them what expired, and what a person cleared: it may be at hand.
    const decided = seqsOf('decided')
    for (const relay of this.#relays) relay.decided(decided)
    // A person has dead letters sent again: they are older than what was taken up.
    const pending = seqsOf('pending')
    const first = pending.reduce((least, seq) => Math.min(least, seq), Number.POSITIVE_INFINITY)
    if (pending.length > 0) for (const relay of this.#relays) relay.again(first)
    const newest = seqsOf('received').at(-1)
    if (newest !== undefined) this.wake(newest)
  }

  /**
   * Those that are waited for are asked now, by one probe each, whatever is left of the wait; so is what waits by itself.
   * @param standInAlone its script was changed, which says nothing of the others.
   * @returns how many were waited for.
   */
  tryNow(standInAlone = false): number {
    const meant = this.#relays.filter((relay) => relay.standIn || !standInAlone)
    return meant.filter((relay) => relay.tryNow()).length
  }

  /** Who is configured, as a person calls each. */
  upstreams(): readonly (ConfiguredUpstream & { readonly label: string })[] {
    return this.#relays.map(({ dsn, standIn, label }) => ({ dsn, standIn, label }))
  }

  async states(): Promise<UpstreamState[]> {
    return Promise.all(
      this.#relays.map(async (relay) =>
        relay.state(await this.#reader.countPending(relay.dsn.publicKey, relay.dsn.projectId)),
      ),
    )
  }

  /** What is pending to keys and projects that are not configured: it waits until they are again. */
  async stranded(): Promise<Overview['stranded']> {
    const configured = this.#relays.map(({ dsn }) => ({ publicKey: dsn.publicKey, project: dsn.projectId }))
    return [...(await this.#reader.stranded(configured))]
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.close(graceMs)))
  }
}
