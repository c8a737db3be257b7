import type { Database, Statement } from 'better-sqlite3'
import { ALL, takes } from '../../lib/protocol/upstream-answer'
import { prepareAll } from './prepare'
import { type CorrectedLimit, type Decision, EVERY_ITEM, type StoredLimit } from './submission'
import type { UpstreamOf } from './unreported'

/** Ended and running ones that are kept of one project. */
const MOST_SPELLS = 200
/** What is settled now was cut so long ago at most: a limit that ended since is the one that took it. */
const SETTLED_WITHIN_MS = 60_000
/** The reason by which an item ends that was cut for its own category. */
const LIMITED = 'limited'

/**
 * Each stretch of time in which a category was limited, from the first telling to the last end, and what was cut meanwhile.
 * Methods run inside a transaction.
 */
export class LimitSpells {
  readonly #now: () => number
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database, now: () => number) {
    this.#now = now
    this.#sql = prepareAll(db, SQL)
  }

  /** A limit that is told while it runs goes on; one that had ended begins anew. */
  told(limits: readonly StoredLimit[]): void {
    for (const limit of limits) {
      if (limit.until <= limit.receivedAt) continue
      const last = this.#last(limit)
      if (last !== undefined && last.until > limit.receivedAt) this.#sql.prolong.run({ ...limit, id: last.id })
      else this.#sql.begin.run(limit)
      this.#sql.trim.run(limit)
    }
  }

  /** The clock was set while they ran: each is the one stretch that it was, whatever its end was by the clock before. */
  corrected(limits: readonly CorrectedLimit[]): void {
    for (const limit of limits) {
      const last = limit.until <= limit.receivedAt ? undefined : this.#last(limit)
      if (last !== undefined) this.#sql.correct.run({ ...limit, id: last.id })
    }
  }

  #last(limit: StoredLimit): { readonly id: number; readonly until: number } | undefined {
    return this.#sql.last.get(limit) as { readonly id: number; readonly until: number } | undefined
  }

  /** Counts what a decision says was cut, under the limit that took it. */
  cut(upstream: UpstreamOf, seq: number, decision: NonNullable<Decision>): void {
    const cut = decision.filter(({ outcome, reason }) => outcome === 'rate_limited' && reason === LIMITED)
    if (cut.length === 0) return
    const running = this.#sql.running.all({ ...upstream, since: this.#now() - SETTLED_WITHIN_MS }) as RunningSpell[]
    const record = this.#sql.record.get(seq) as { readonly quantities: string }
    const quantities = JSON.parse(record.quantities) as [string, number][]
    for (const { item } of cut)
      for (const [category, quantity] of item === EVERY_ITEM ? quantities : quantities.slice(item, item + 1)) {
        const spell = nearest(running, category)
        if (spell !== undefined) this.#sql.count.run(quantity, spell.id)
      }
  }
}

interface RunningSpell {
  readonly id: number
  readonly category: string
}

/** The limit of the category's own name, else one that means it too, else that of everything. */
const nearest = (spells: readonly RunningSpell[], category: string): RunningSpell | undefined =>
  spells.find((spell) => spell.category === category) ??
  spells.find((spell) => spell.category !== ALL && takes(spell.category, category)) ??
  spells.find((spell) => spell.category === ALL)

const OF_PROJECT = 'public_key = @publicKey AND project = @project'
const SQL = {
  last: `SELECT id, until FROM limit_periods WHERE ${OF_PROJECT} AND category = @category ORDER BY id DESC LIMIT 1`,
  // Of a clock that was set back since, the older end means nothing.
  prolong: `UPDATE limit_periods SET
      until = CASE WHEN @receivedAt < received_at THEN @until ELSE max(until, @until) END,
      received_at = min(received_at, @receivedAt), scope = @scope, reason = @reason
    WHERE id = @id`,
  correct: 'UPDATE limit_periods SET until = @until, received_at = min(received_at, @receivedAt) WHERE id = @id',
  begin: `INSERT INTO limit_periods (public_key, project, category, scope, reason, source_seq, received_at, until)
    VALUES (@publicKey, @project, @category, @scope, @reason, @sourceSeq, @receivedAt, @until)`,
  trim: `DELETE FROM limit_periods WHERE ${OF_PROJECT} AND id <=
    (SELECT id FROM limit_periods WHERE ${OF_PROJECT} ORDER BY id DESC LIMIT 1 OFFSET ${MOST_SPELLS})`,
  running: `SELECT id, category FROM limit_periods WHERE ${OF_PROJECT} AND until > @since ORDER BY id DESC`,
  record: 'SELECT quantities FROM submissions WHERE seq = ?',
  count: 'UPDATE limit_periods SET cut = cut + ? WHERE id = ?',
} as const
