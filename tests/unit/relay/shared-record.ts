import {
  type LaneKey,
  LaneLostError,
  type LaneStatus,
  type LaneStore,
  LEASE_MS,
  type OwnedLane,
} from '../../../collector/spool/lanes'
import type { Pending, PendingSubmission, UpstreamKey } from '../../../collector/spool/spool'
import type { Attempt } from '../../../collector/spool/submission'
import type { SubmissionContent } from '../../../lib/protocol/submission'
import type { UpstreamIdentity } from '../../../lib/protocol/upstream-address'
import { MAX_LANES } from '../../../lib/protocol/upstream-address'
import { aRecord } from './made-record'

interface Lane {
  readonly key: LaneKey
  owner: string | null
  lastOwner: string | null
  token: number
  until: number
  state: string | null
}

interface Outcome {
  readonly seq: number
  /** The collector that wrote it. */
  readonly by: string
}

/** A record of several collectors in memory, with leases of lanes on a clock that a test advances. */
export class SharedRecordInMemory {
  /** In the order in which they were written. */
  readonly outcomes: Outcome[] = []
  readonly attempts: (Outcome & { readonly attempt: Attempt })[] = []
  /** Results that were refused because another collector owns the lane. */
  readonly refused: Outcome[] = []
  /** Calls of `publishLane`. */
  readonly published: OwnedLane[] = []
  /** While it is set, every call rejects. */
  isAway = false
  /** Writes of results wait for it. */
  beforeResults: Promise<void> = Promise.resolve()
  /** Lanes of each upstream that are in use besides those with pending records. */
  lanes = 1
  readonly #now: () => number
  readonly #records = new Map<
    number,
    { readonly to: UpstreamIdentity; readonly lane: number; readonly content: SubmissionContent }
  >()
  readonly #pending = new Set<number>()
  readonly #lanes = new Map<string, Lane>()
  readonly #seen = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Makes a record pending whose body is its number. */
  receive(to: UpstreamIdentity, lane = 0): number {
    const seq = this.#records.size + 1
    this.#records.set(seq, { to, lane, content: aRecord(new TextEncoder().encode(String(seq))) })
    this.#pending.add(seq)
    return seq
  }

  /** Makes a dead letter pending again. */
  makePending(seq: number): void {
    this.#pending.add(seq)
  }

  get pending(): readonly number[] {
    return [...this.#pending]
  }

  /** The owner of each lane whose lease runs, by project. */
  get owners(): Readonly<Record<string, string | null>> {
    return Object.fromEntries([...this.#lanes.values()].map((lane) => [lane.key.project, this.#ownerOf(lane)]))
  }

  /** The owners of the lanes of one upstream whose lease runs, by lane. */
  ownersOf(to: UpstreamIdentity): readonly (string | null)[] {
    const lanes = [...this.#lanes.values()].filter(({ key }) => key.project === to.projectId)
    return lanes.sort((one, other) => one.key.lane - other.key.lane).map((lane) => this.#ownerOf(lane))
  }

  /** Gives a lane to a collector of another test. */
  takeAway(to: UpstreamIdentity, lane: number): void {
    const taken = this.#lanes.get(nameOf({ publicKey: to.publicKey, project: to.projectId, lane }))
    if (taken === undefined) throw new Error(`nobody has taken lane ${lane}`)
    taken.token += 1
    taken.owner = 'another'
    taken.lastOwner = 'another'
  }

  #pendingTo({ publicKey, project, lane }: UpstreamKey & Partial<LaneKey>): readonly number[] {
    return this.pending.filter((seq) => {
      const record = this.#records.get(seq)
      const isTo = record?.to.publicKey === publicKey && record.to.projectId === project
      return isTo && (lane === undefined || record.lane === lane)
    })
  }

  get reader() {
    const to = (publicKey: string, project: string): readonly number[] => this.#pendingTo({ publicKey, project })
    return {
      // Relays of a shared record read their lane.
      pending: async (): Promise<readonly PendingSubmission[]> => [],
      record: async (seq: number): Promise<SubmissionContent | null> => this.#records.get(seq)?.content ?? null,
      countPending: async (publicKey: string, project: string): Promise<Pending> => ({
        pending: to(publicKey, project).length,
        deadLetters: 0,
      }),
      stranded: async () => [],
    }
  }

  /** The leases as one collector sees them. */
  lanesOf(me: string): LaneStore {
    return {
      takeLanes: async (upstreams) => {
        this.#reach()
        return this.#take(me, upstreams)
      },
      releaseLane: async (owned) => {
        this.#reach()
        const lane = this.#valid(owned)
        if (lane !== null) this.#release(lane)
      },
      leave: async () => {
        this.#reach()
        this.#seen.delete(me)
        for (const lane of this.#lanes.values()) if (lane.owner === me && this.#isLeased(lane)) this.#release(lane)
      },
      publishLane: async (owned, state) => {
        this.#reach()
        const lane = this.#valid(owned)
        if (lane === null) return
        this.published.push(owned)
        lane.state = state
      },
      readLanes: async (upstreams) => {
        this.#reach()
        return this.#inUse(upstreams).flatMap((key) => this.#statusOf(key) ?? [])
      },
      pendingIn: async (lane, after, most) =>
        this.#pendingTo(lane)
          .filter((seq) => seq > after)
          .slice(0, most)
          .map((seq) => ({ seq, bytes: 1 })),
      resultsOf: (owned) => ({
        recordAttempt: async (attempt) => {
          const { seq } = attempt
          await this.beforeResults
          this.#settle(me, owned, seq, attempt.decision !== null || attempt.dead)
          this.attempts.push({ seq, by: me, attempt })
        },
        decideWithoutAttempt: async (seq) => this.#settle(me, owned, seq, true),
      }),
    }
  }

  /** Lanes of one number come together. */
  #inUse(upstreams: readonly UpstreamKey[]): readonly LaneKey[] {
    return Array.from({ length: MAX_LANES }, (_, lane) => lane).flatMap((lane) =>
      upstreams
        .map(({ publicKey, project }) => ({ publicKey, project, lane }))
        .filter((key) => lane < this.lanes || this.#pendingTo(key).length > 0),
    )
  }

  #take(me: string, upstreams: readonly UpstreamKey[]) {
    const now = this.#now()
    // In the order of their first call.
    this.#seen.set(me, now)
    const inUse = this.#inUse(upstreams)
    for (const key of inUse)
      if (!this.#lanes.has(nameOf(key)))
        this.#lanes.set(nameOf(key), { key, owner: null, lastOwner: null, token: 0, until: now, state: null })
    const live = [...this.#seen].filter(([, at]) => at > now - LEASE_MS).map(([name]) => name)
    const rest = inUse.length % live.length
    const share = Math.floor(inUse.length / live.length) + (live.indexOf(me) < rest ? 1 : 0)
    const used = inUse.flatMap((key) => this.#lanes.get(nameOf(key)) ?? [])
    const unused = [...this.#lanes.values()].filter((lane) => !used.includes(lane))
    const isMine = (lane: Lane): boolean => lane.owner === me && this.#isLeased(lane)
    const mine = [...used.filter(isMine), ...unused.filter(isMine)]
    const free = used.filter((lane) => !this.#isLeased(lane)).slice(0, Math.max(0, share - used.filter(isMine).length))
    for (const lane of free) {
      if (lane.lastOwner !== me) lane.token += 1
      lane.owner = me
      lane.lastOwner = me
    }
    const taken = [...used.filter((lane) => mine.includes(lane) || free.includes(lane)), ...unused.filter(isMine)]
    for (const lane of taken) lane.until = now + LEASE_MS
    return { lanes: taken.map(({ key, token }) => ({ ...key, token })), share }
  }

  #release(lane: Lane): void {
    lane.owner = null
    lane.lastOwner = null
    lane.until = this.#now()
  }

  /** Only the call that deletes the pending row writes the outcome. */
  #settle(by: string, owned: OwnedLane, seq: number, isFinal: boolean): void {
    this.#reach()
    if (this.#lanes.get(nameOf(owned))?.token !== owned.token) {
      this.refused.push({ seq, by })
      throw new LaneLostError()
    }
    if (isFinal && this.#pending.delete(seq)) this.outcomes.push({ seq, by })
  }

  #statusOf(key: LaneKey): LaneStatus | null {
    const lane = this.#lanes.get(nameOf(key))
    if (lane === undefined) return null
    const owner = this.#ownerOf(lane)
    return { ...key, owner, unownedMs: owner === null ? this.#now() - lane.until : 0, state: lane.state }
  }

  #valid(owned: OwnedLane): Lane | null {
    const lane = this.#lanes.get(nameOf(owned))
    return lane?.token === owned.token ? lane : null
  }

  #ownerOf(lane: Lane): string | null {
    return this.#isLeased(lane) ? lane.owner : null
  }

  #isLeased(lane: Lane): boolean {
    return lane.owner !== null && this.#now() < lane.until
  }

  #reach(): void {
    if (this.isAway) throw new Error('the store is away')
  }
}

const nameOf = ({ publicKey, project, lane }: LaneKey): string => [publicKey, project, lane].join(' ')
