import type { Database, Statement } from 'better-sqlite3'
import type { Quantity } from '../../lib/protocol/data-category'
import { ALL, limitAppliesTo } from '../../lib/protocol/rate-limits'
import type { ReportedLimit, Submission } from '../../lib/protocol/submission'
import { prepareAll } from '../runtime/database'
import type { Counters } from './counters'
import type { CorrectedLimit } from './submission'

/** Rows kept: one per page and category. */
const MAX_ROWS = 1000
/** An envelope this soon after a page was sent a limit was already under way. */
const UNDER_WAY_MS = 500
/** A limit and the same limit as a page was sent it end within this much of each other. */
const SLACK_MS = 1000

interface SentLimit {
  readonly sentAt: number
  readonly until: number
  readonly violated: boolean
  readonly resumed: boolean
}

/** The fields of a submission that limits depend on. */
type LimitedSubmission = Pick<
  Submission,
  'publicKey' | 'project' | 'receivedAt' | 'facts' | 'quantities' | 'reportedLimits'
>

interface Page {
  readonly publicKey: string
  readonly project: string
  readonly page: string
}

/**
 * Limits that pages were sent, and the first envelope of each page while the limit ran (`violated`) and when it had
 * ended (`resumed`). Cached, so that an append costs nothing while no page was sent a limit.
 */
export class PageLimits {
  readonly #db: Database
  readonly #now: () => number
  readonly #counters: Counters
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  /** By key, project and page, then by category; the page that was sent one longest ago first. `null`: to be read. */
  #pages: Map<string, Map<string, SentLimit>> | null = null
  #count = 0

  constructor(db: Database, parts: { readonly now: () => number; readonly counters: Counters }) {
    this.#db = db
    this.#now = parts.now
    this.#counters = parts.counters
    this.#sql = prepareAll(db, SQL)
  }

  /** No page was sent a limit: only a submission whose answer reports some needs `addSubmission`. */
  get isEmpty(): boolean {
    return (this.#pages ?? this.#read()).size === 0
  }

  /** Checks a submission against the limits that its page was sent before, then adds those that its answer reports. */
  addSubmission(submission: LimitedSubmission, seq: number): void {
    const pages = this.#pages ?? this.#read()
    const { reportedLimits, facts } = submission
    // Sent from a lifeboat: long after it was made, by a sender that does not read the answer.
    if (facts.keptMs !== undefined) return
    if (pages.size === 0 && reportedLimits.length === 0) return
    if (facts.page === null) {
      if (reportedLimits.length > 0) this.#counters.add('sent_unnamed', 1)
      return
    }
    const page = { publicKey: submission.publicKey, project: submission.project, page: facts.page }
    this.#check(page, seq, submission.receivedAt, submission.quantities)
    for (const limit of reportedLimits) this.#addSent(page, seq, limit)
  }

  /**
   * Moves the times of the same limits as pages were sent them. A limit that was sent after the clock was set has times
   * of the new clock, and ends later than the old times do.
   */
  correct(limits: readonly CorrectedLimit[]): void {
    const moved = new Map(limits.filter(({ by }) => by !== 0).map((limit) => [limitKey(limit), limit]))
    if (moved.size === 0) return
    for (const [key, sent] of this.#pages ?? this.#read()) {
      const [publicKey = '', project = '', page = ''] = key.split(' ')
      for (const [category, one] of sent) {
        const limitOf = (limited: string) => moved.get(limitKey({ publicKey, project, category: limited }))
        const limit = limitOf(category) ?? limitOf(ALL)
        if (limit === undefined || !wasSentBefore(one, limit, this.#now())) continue
        const times = { sentAt: one.sentAt + limit.by, until: one.until + limit.by }
        sent.set(category, { ...one, ...times })
        this.#sql.correct.run({ publicKey, project, page, category, ...times })
      }
    }
  }

  /** A transaction or savepoint was rolled back: the cache may differ from the table. */
  rollBack(): void {
    this.#pages = null
  }

  #check(page: Page, seq: number, at: number, quantities: readonly Quantity[]): void {
    const sent = this.#pages?.get(pageKey(page))
    if (sent === undefined) return
    for (const [category, one] of sent) {
      if (!quantities.some((quantity) => limitAppliesTo(category, quantity.category))) continue
      if (at >= one.until && !one.resumed) {
        this.#sql.resumed.run({ ...page, category, seq, at })
        sent.set(category, { ...one, resumed: true })
      } else if (at > one.sentAt + UNDER_WAY_MS && at < one.until && !one.violated) {
        this.#sql.violated.run({ ...page, category, seq, at })
        sent.set(category, { ...one, violated: true })
      }
    }
  }

  /** A limit that a page is sent again while it runs is the same limit with a later end. */
  #addSent(page: Page, seq: number, { category, until }: ReportedLimit): void {
    const pages = this.#pages ?? this.#read()
    const now = this.#now()
    const key = pageKey(page)
    const sent = pages.get(key) ?? new Map<string, SentLimit>()
    const known = sent.get(category)
    if (known !== undefined && known.until > now) {
      if (until <= known.until) return
      sent.set(category, { ...known, until })
      this.#sql.prolong.run({ ...page, category, until })
      return
    }
    if (known === undefined) this.#count += 1
    sent.set(category, { sentAt: now, until, violated: false, resumed: false })
    this.#sql.insert.run({ ...page, category, until, sentAt: now, seq })
    pages.delete(key)
    pages.set(key, sent)
    this.#trim(pages)
  }

  #trim(pages: Map<string, Map<string, SentLimit>>): void {
    for (const [key, sent] of pages) {
      if (this.#count <= MAX_ROWS || pages.size === 1) return
      const [publicKey, project, page] = key.split(' ')
      this.#sql.remove.run({ publicKey, project, page })
      this.#count -= sent.size
      pages.delete(key)
    }
  }

  #read(): Map<string, Map<string, SentLimit>> {
    const pages = new Map<string, Map<string, SentLimit>>()
    const rows = this.#db.prepare(ALL_ROWS).all() as (Page & {
      readonly category: string
      readonly sentAt: number
      readonly until: number
      readonly violated: number
      readonly resumed: number
    })[]
    for (const row of rows) {
      const sent = pages.get(pageKey(row)) ?? new Map<string, SentLimit>()
      pages.set(pageKey(row), sent)
      const { sentAt, until } = row
      sent.set(row.category, { sentAt, until, violated: row.violated === 1, resumed: row.resumed === 1 })
    }
    this.#pages = pages
    this.#count = rows.length
    return pages
  }
}

const limitKey = (of: Pick<CorrectedLimit, 'publicKey' | 'project' | 'category'>): string =>
  `${of.publicKey} ${of.project} ${of.category}`

/** Was this limit sent before the clock was set, and did it still run then? */
const wasSentBefore = ({ until }: SentLimit, limit: CorrectedLimit, now: number): boolean =>
  until > now - limit.by && until <= limit.until - limit.by + SLACK_MS

/** None of the three contains a space: endpoints refuse such keys, projects and pages. */
const pageKey = ({ publicKey, project, page }: Page): string => `${publicKey} ${project} ${page}`

const ALL_ROWS = `SELECT public_key AS publicKey, project, page, category, sent_at AS sentAt, until,
  violated_seq IS NOT NULL AS violated, resumed_seq IS NOT NULL AS resumed FROM page_limits ORDER BY sent_at`
const OF_PAGE = 'public_key = @publicKey AND project = @project AND page = @page'
const SQL = {
  insert: `INSERT OR REPLACE INTO page_limits (public_key, project, page, category, sent_at, until, sent_with)
    VALUES (@publicKey, @project, @page, @category, @sentAt, @until, @seq)`,
  prolong: `UPDATE page_limits SET until = @until WHERE ${OF_PAGE} AND category = @category`,
  correct: `UPDATE page_limits SET sent_at = @sentAt, until = @until WHERE ${OF_PAGE} AND category = @category`,
  violated: `UPDATE page_limits SET violated_seq = @seq, violated_at = @at WHERE ${OF_PAGE} AND category = @category`,
  resumed: `UPDATE page_limits SET resumed_seq = @seq, resumed_at = @at WHERE ${OF_PAGE} AND category = @category`,
  remove: `DELETE FROM page_limits WHERE ${OF_PAGE}`,
} as const
