import type { Reach } from '../../../lib/wire/reach'
import type { SpoolNews } from '../../spool/journal'
import type { JournalPage, OlderPage } from '../../spool/mirror/journal-page'
import type { Mirror } from '../../spool/mirror/mirror'
import { describeReach } from '../../spool/mirror/mirror-reach'
import { type ReceivedRecord, readFacts, readQuantities, receivedRecord } from '../../spool/stored-content'
import type { StoreConnection } from '../connection'
import { StoreAwayError } from '../store-away'
import { readOlder } from './read-older'
import { CursorLostError, readPage } from './read-page'
import { readStart } from './read-start'

/** News of the mirror. */
export interface MirrorNews extends SpoolNews {
  /** Rows of these must be erased before their records are: answer with `rowsErased`. */
  readonly deleted?: readonly number[]
  /** Records before those that the index has: answer with `olderDigested` when they have rows. */
  readonly older?: readonly number[]
  /** The shared record is another one: delete the index, and call `empty` while it is closed. */
  readonly isLost?: true
  /** How far back it reaches; `null` when it has all. */
  readonly reach: Reach | null
}

/** Facts of one page. A mirror that has at least half as many to follow fetches nothing older meanwhile. */
const PAGE_FACTS = 500
/** Facts that a new mirror follows first: as many as a journal keeps at least, for clients that were away. */
const START_FACTS = 5000
/** Facts of one older page: newer ones wait while it is applied. */
const OLDER_FACTS = 250
/** Between two polls while there is little to follow: a page costs seven queries, however small it is. */
const POLL_MS = 50
const AWAY_MS = 500
/** Between two looks at the disk budget, and the longest that a page waits for it. */
const BUDGET_MS = 100
const MOST_BUDGET_WAITS = 50

interface FollowerTools {
  readonly connection: StoreConnection
  readonly mirror: Mirror
  readonly publish: (news: MirrorNews) => void
  /** Resolves after this time, or when `wake` is called. */
  readonly pause: (ms: number) => Promise<void>
  readonly wake: () => void
  readonly now: () => number
  readonly log: (line: string) => void
  /** For tests. */
  readonly startFacts?: number
  readonly olderFacts?: number
}

/**
 * Follows the shared record with a mirror. A new mirror starts near the newest fact, and fetches older ones while it has
 * nothing newer to follow. One that follows another record than before begins again.
 */
export class MirrorFollower {
  readonly #tools: FollowerTools
  #isStopping = false
  #endWait: () => void = () => undefined
  /** The last older records have no rows yet. */
  #isDigesting = false
  /** Bytes in use when an older page did not fit. */
  #fullAt = Number.POSITIVE_INFINITY

  constructor(tools: FollowerTools) {
    this.#tools = tools
  }

  /** Resolves after `stop`. @throws when the file cannot be written */
  async run(): Promise<void> {
    while (!this.#isStopping) if (!(await this.step())) await this.#tools.pause(POLL_MS)
  }

  stop(): void {
    this.#isStopping = true
    this.#tools.wake()
    this.#endWait()
  }

  /** Follows one page, or fetches an older one. @returns whether there is more to do at once */
  async step(): Promise<boolean> {
    try {
      const facts = await this.#follow(PAGE_FACTS)
      return facts >= PAGE_FACTS / 2 || (await this.#fetchOlder())
    } catch (error) {
      if (error instanceof StoreAwayError) await this.#tools.pause(AWAY_MS)
      else if (error instanceof CursorLostError) await this.#beginAgain(error)
      else throw error
      return true
    }
  }

  reach(): Reach | null {
    const { mirror } = this.#tools
    return describeReach(mirror.reach, mirror.cursor().n, this.#fullAt < Number.POSITIVE_INFINITY)
  }

  rowsErased(): void {
    this.#endWait()
  }

  olderDigested(): void {
    this.#isDigesting = false
    this.#tools.wake()
  }

  /** Empties the mirror. The index must be closed and deleted: numbers begin again. */
  empty(): void {
    const { mirror, now } = this.#tools
    mirror.reset()
    this.#isDigesting = false
    this.#fullAt = Number.POSITIVE_INFINITY
    const cleared = { n: 0, at: now(), kind: 'cleared', seq: null } as const
    this.#publish({ facts: [cleared], totals: [], used: mirror.budget.used, isReset: true })
    this.#endWait()
  }

  /** @returns the number of facts */
  async #follow(limit: number): Promise<number> {
    const { connection, mirror, startFacts = START_FACTS } = this.#tools
    const cursor = mirror.cursor()
    if (cursor.n === 0) {
      const start = await readStart(connection, startFacts)
      if (start !== null) {
        this.#publish(mirror.begin(start))
        return PAGE_FACTS
      }
    }
    const page = await readPage(connection, cursor, limit)
    if (page === null) return 0
    await this.#apply(page)
    return page.facts.length
  }

  async #apply(page: JournalPage): Promise<void> {
    const { mirror, pause } = this.#tools
    const deleted = page.changes.flatMap((change) => (change.kind === 'deleted' ? change.seqs : []))
    if (deleted.length > 0) await this.#publishAndWait({ deleted })
    for (let waits = 0; !mirror.fits(page) && waits < MOST_BUDGET_WAITS && !this.#isStopping; waits += 1)
      await pause(BUDGET_MS)
    if (this.#isStopping) return
    this.#publish({ ...mirror.apply(page), received: page.records.map(receivedOf) })
  }

  /** @returns whether it has fetched something, or ended */
  async #fetchOlder(): Promise<boolean> {
    const { connection, mirror, olderFacts = OLDER_FACTS } = this.#tools
    const { reach } = mirror
    if (reach === null || reach.isEnded || this.#isDigesting) return false
    if (mirror.budget.used >= this.#fullAt) return false
    if (!mirror.fitsOlder([])) return this.#noteFull()
    const page = await readOlder(connection, reach.from, olderFacts)
    if (page === null) {
      mirror.completeReach()
      this.#publish({ facts: [], totals: [], used: mirror.budget.used, isFilled: true })
      return true
    }
    if (!(await this.#followTo(page.at))) return true
    // An eviction while it followed.
    if (mirror.reach?.isEnded !== false) return true
    if (!mirror.fitsOlder(page.records)) return this.#noteFull()
    this.#fullAt = Number.POSITIVE_INFINITY
    this.#isDigesting = page.records.length > 0
    const applied = mirror.applyOlder(page)
    const isFilled = mirror.reach === null
    this.#publish({
      ...applied,
      received: page.records.map(receivedOf),
      older: page.records.map(({ seq }) => seq),
      ...(isFilled && { isFilled }),
    })
    return true
  }

  /** Older records are fetched again when less is in use. */
  #noteFull(): boolean {
    const { used } = this.#tools.mirror.budget
    this.#fullAt = used
    this.#publish({ facts: [], totals: [], used })
    return false
  }

  /** @returns whether the mirror stands at that batch */
  async #followTo({ n, batch }: OlderPage['at']): Promise<boolean> {
    const { mirror } = this.#tools
    for (let missing = n - mirror.cursor().n; missing > 0; missing = n - mirror.cursor().n)
      if ((await this.#follow(Math.min(missing, PAGE_FACTS))) === 0 || this.#isStopping) return false
    const cursor = mirror.cursor()
    return cursor.n === n && cursor.batch === batch
  }

  async #beginAgain(lost: CursorLostError): Promise<void> {
    this.#tools.log(`${lost.message}; it is emptied, and fetched again`)
    await this.#publishAndWait({ isLost: true })
  }

  async #publishAndWait(news: Pick<MirrorNews, 'deleted' | 'isLost'>): Promise<void> {
    if (this.#isStopping) return
    const answered = new Promise<void>((resolve) => {
      this.#endWait = resolve
    })
    this.#publish({ facts: [], totals: [], used: this.#tools.mirror.budget.used, ...news })
    await answered
  }

  #publish(news: Omit<MirrorNews, 'reach'>): void {
    this.#tools.publish({ ...news, reach: this.reach() })
  }
}

/** Damaged facts name no sender. */
const receivedOf = ({ facts, quantities, ...record }: JournalPage['records'][number]): ReceivedRecord =>
  receivedRecord({ ...record, facts: readFacts(facts), quantities: readQuantities(quantities) })
