import type { Database, Statement } from 'better-sqlite3'
import type { Quantity } from '../../lib/protocol/data-category'
import { ALL, takes } from '../../lib/protocol/upstream-answer'
import type { Counters } from './counters'
import { prepareAll } from './prepare'
import type { CorrectedLimit, ReportedLimit, Submission } from './submission'

/** What is remembered: a page and a category each. */
const MOST_TOLD = 1000
/** What came so soon after the telling was under way while it was told. */
const UNDER_WAY_MS = 500
/** A limit and what a page was told of it end within so much of each other. */
const SLACK_MS = 1000

interface Told {
  readonly sentAt: number
  readonly until: number
  readonly broke: boolean
  readonly resumed: boolean
}

/**
 * What pages were told of limits, and the first that came from each afterwards, while the limit ran and when it had
 * ended. Methods run inside a transaction; what is remembered beside the rows makes an append cost nothing while no page
 * was told.
 */
export class ToldPages {
  readonly #db: Database
  readonly #now: () => number
  readonly #counters: Counters
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  /** By key, project and page, then by category; who was told longest ago first. `null`: to be read again. */
  #pages: Map<string, Map<string, Told>> | null = null
  #count = 0

  constructor(db: Database, parts: { readonly now: () => number; readonly counters: Counters }) {
    this.#db = db
    this.#now = parts.now
    this.#counters = parts.counters
    this.#sql = prepareAll(db, SQL)
  }

  /** Judges what came from a page by what it had been told, then writes down what it is told by the answer. */
  received(submission: Submission, seq: number): void {
    const pages = this.#pages ?? this.#read()
    const { reportedLimits: told, facts } = submission
    // It was sent long ago, and whoever sent it does not read this answer.
    if (facts.keptMs !== undefined) return
    if (pages.size === 0 && told.length === 0) return
    if (facts.page === null) {
      if (told.length > 0) this.#counters.add('sent_unnamed', 1)
      return
    }
    const page = { publicKey: submission.publicKey, project: submission.project, page: facts.page }
    this.#judge(page, seq, submission.receivedAt, submission.quantities)
    for (const limit of told) this.#tell(page, seq, limit)
  }

  /**
   * The clock was set while these ran, and what pages were told of them ends at another time of day with them. What a page
   * was told since goes by the new clock already: it ends later than the limit did by the old one.
   */
  corrected(limits: readonly CorrectedLimit[]): void {
    const moved = new Map(limits.filter(({ by }) => by !== 0).map((limit) => [correctionOf(limit), limit]))
    if (moved.size === 0) return
    for (const [name, told] of this.#pages ?? this.#read()) {
      const [publicKey = '', project = '', page = ''] = name.split(' ')
      for (const [category, one] of told) {
        const named = (limited: string) => moved.get(correctionOf({ publicKey, project, category: limited }))
        const limit = named(category) ?? named(ALL)
        if (limit === undefined || !ranBefore(one, limit, this.#now())) continue
        const times = { sentAt: one.sentAt + limit.by, until: one.until + limit.by }
        told.set(category, { ...one, ...times })
        this.#sql.correct.run({ publicKey, project, page, category, ...times })
      }
    }
  }

  /** A transaction was given up: what is remembered may not be so. */
  forget(): void {
    this.#pages = null
  }

  #judge(page: Page, seq: number, at: number, quantities: readonly Quantity[]): void {
    const told = this.#pages?.get(nameOf(page))
    if (told === undefined) return
    for (const [category, one] of told) {
      if (!quantities.some((quantity) => takes(category, quantity.category))) continue
      if (at >= one.until && !one.resumed) {
        this.#sql.resumed.run({ ...page, category, seq, at })
        told.set(category, { ...one, resumed: true })
      } else if (at > one.sentAt + UNDER_WAY_MS && at < one.until && !one.broke) {
        this.#sql.broke.run({ ...page, category, seq, at })
        told.set(category, { ...one, broke: true })
      }
    }
  }

  /** Told again while it runs it is the same, with a later end; else it begins anew. */
  #tell(page: Page, seq: number, { category, until }: ReportedLimit): void {
    const pages = this.#pages ?? this.#read()
    const now = this.#now()
    const name = nameOf(page)
    const told = pages.get(name) ?? new Map<string, Told>()
    const known = told.get(category)
    if (known !== undefined && known.until > now) {
      if (until <= known.until) return
      told.set(category, { ...known, until })
      this.#sql.prolong.run({ ...page, category, until })
      return
    }
    if (known === undefined) this.#count += 1
    told.set(category, { sentAt: now, until, broke: false, resumed: false })
    this.#sql.begin.run({ ...page, category, until, sentAt: now, seq })
    pages.delete(name)
    pages.set(name, told)
    this.#trim(pages)
  }

  #trim(pages: Map<string, Map<string, Told>>): void {
    for (const [name, told] of pages) {
      if (this.#count <= MOST_TOLD || pages.size === 1) return
      const [publicKey, project, page] = name.split(' ')
      this.#sql.remove.run({ publicKey, project, page })
      this.#count -= told.size
      pages.delete(name)
    }
  }

  #read(): Map<string, Map<string, Told>> {
    const pages = new Map<string, Map<string, Told>>()
    const rows = this.#db.prepare(ALL_ROWS).all() as (Page & {
      readonly category: string
      readonly sentAt: number
      readonly until: number
      readonly broke: number
      readonly resumed: number
    })[]
    for (const row of rows) {
      const told = pages.get(nameOf(row)) ?? new Map<string, Told>()
      pages.set(nameOf(row), told)
      const { sentAt, until } = row
      told.set(row.category, { sentAt, until, broke: row.broke === 1, resumed: row.resumed === 1 })
    }
    this.#pages = pages
    this.#count = rows.length
    return pages
  }
}

const correctionOf = (of: Pick<CorrectedLimit, 'publicKey' | 'project' | 'category'>): string =>
  `${of.publicKey} ${of.project} ${of.category}`

/** Was it told before the clock was set, and did it run then still? */
const ranBefore = ({ until }: Told, limit: CorrectedLimit, now: number): boolean =>
  until > now - limit.by && until <= limit.until - limit.by + SLACK_MS

interface Page {
  readonly publicKey: string
  readonly project: string
  readonly page: string
}

/** None of the three has a space in it: the endpoint takes no such key, project or page. */
const nameOf = ({ publicKey, project, page }: Page): string => `${publicKey} ${project} ${page}`

const ALL_ROWS = `SELECT public_key AS publicKey, project, page, category, sent_at AS sentAt, until,
  violated_seq IS NOT NULL AS broke, resumed_seq IS NOT NULL AS resumed FROM page_limits ORDER BY sent_at`
const OF_PAGE = 'public_key = @publicKey AND project = @project AND page = @page'
const SQL = {
  begin: `INSERT OR REPLACE INTO page_limits (public_key, project, page, category, sent_at, until, sent_with)
    VALUES (@publicKey, @project, @page, @category, @sentAt, @until, @seq)`,
  prolong: `UPDATE page_limits SET until = @until WHERE ${OF_PAGE} AND category = @category`,
  correct: `UPDATE page_limits SET sent_at = @sentAt, until = @until WHERE ${OF_PAGE} AND category = @category`,
  broke: `UPDATE page_limits SET violated_seq = @seq, violated_at = @at WHERE ${OF_PAGE} AND category = @category`,
  resumed: `UPDATE page_limits SET resumed_seq = @seq, resumed_at = @at WHERE ${OF_PAGE} AND category = @category`,
  remove: `DELETE FROM page_limits WHERE ${OF_PAGE}`,
} as const
