import { afterEach, describe, expect, inject, it } from 'vitest'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import type { Submission } from '../../lib/protocol/submission'
import { submission } from '../unit/spool/in-process-spool'
import { createDatabase, dropDatabases, withClient } from './databases'

const server = inject('postgres')

const NOW = 1_700_000_000_000

const ofPage = (more: Partial<Submission>, page = 'p1'): Submission => {
  const made = submission(more)
  return { ...made, facts: { ...made.facts, page } }
}
const errors = (quantity: number, more: Partial<Submission> = {}): Submission =>
  ofPage({ quantities: [{ category: 'error', quantity }], ...more })
const report = (quantity: number, more: Partial<Submission> = {}): Submission =>
  ofPage({
    quantities: [{ category: 'internal', quantity: 1 }],
    discards: [{ category: 'error', reason: 'network_error', quantity }],
    ...more,
  })

describe.skipIf('why' in server)('unseen answers of two stores on one database', () => {
  const url = 'url' in server ? server.url : ''
  const lines: string[] = []
  const opened: PostgresStore[] = []
  afterEach(async () => {
    await closeAll()
    await dropDatabases(url)
    lines.length = 0
  })

  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((store) => store.close()))
  }

  async function openTwo() {
    const database = await createDatabase(url)
    const open = async (name: string): Promise<PostgresStore> => {
      const store = await openPostgresStore({
        url: database,
        name,
        now: () => NOW,
        log: (line) => lines.push(line),
        // A server for tests may not sync.
        allowWeak: true,
      })
      opened.push(store)
      return store
    }
    const one = await open('one')
    const other = await open('other')
    /** Sums of discards and unseen answers, after both stores have closed. */
    const totals = async () => {
      await closeAll()
      const { rows } = await withClient(database, (client) =>
        client.query<{ readonly entry: string; readonly stamp: string | null; readonly quantity: number }>(
          `SELECT entry, stamp, sum(quantity)::int4 AS quantity FROM waystation.totals_added
            WHERE entry IN ('client_discard', 'answer_unseen') GROUP BY entry, stamp HAVING sum(quantity) <> 0 ORDER BY 1, 2`,
        ),
      )
      return rows.map(({ entry, stamp, quantity }) => [entry, stamp, quantity])
    }
    return { database, one, other, totals }
  }

  it('move network errors that a report through the same store counts', async () => {
    const { one, totals } = await openTwo()
    const seen = errors(2, { stamp: 'a' })
    await one.append(seen)
    await one.addUnseenAnswer(seen.receipt)
    await one.append(report(3, { stamp: 'a' }))
    expect(await totals()).toEqual([
      ['answer_unseen', 'a', 2],
      ['client_discard', 'a', 1],
    ])
    expect(lines).toEqual([])
  })

  it('move them when the report arrives first', async () => {
    const { one, totals } = await openTwo()
    await one.append(report(3))
    await one.append(errors(1, { answerUnseen: true }))
    const later = errors(1)
    await one.append(later)
    await one.addUnseenAnswer(later.receipt)
    expect(await totals()).toEqual([
      ['answer_unseen', null, 2],
      ['client_discard', null, 1],
    ])
  })

  it('find a record that the other store has appended', async () => {
    const { one, other, totals } = await openTwo()
    const made = errors(2)
    // PostgreSQL rejects JSON with an escaped NUL.
    const appended = { ...made, facts: { ...made.facts, userAgent: 'a\0b' } }
    await one.append(appended)
    await other.addUnseenAnswer(appended.receipt)
    await other.append(report(2))
    expect(await totals()).toEqual([['answer_unseen', null, 2]])
  })

  it('leave network errors that only the other store has received', async () => {
    const { one, other, totals } = await openTwo()
    await one.append(errors(2, { answerUnseen: true }))
    await other.append(report(2))
    expect(await totals()).toEqual([['client_discard', null, 2]])
  })

  it('count a repeated receipt once', async () => {
    const { one, other, totals } = await openTwo()
    const late = errors(1, { answerUnseen: true })
    await Promise.all([one.append(late), one.append(late)])
    await one.append(late)
    const counted = report(5)
    await one.append(counted)
    await one.append(counted)
    // Stored by the first store, so the second matches neither.
    await other.append(late)
    await other.append(counted)
    expect(await totals()).toEqual([
      ['answer_unseen', null, 1],
      ['client_discard', null, 4],
    ])
  })

  it('leave network errors for a copy and for an unknown receipt', async () => {
    const { one, totals } = await openTwo()
    const copy = errors(2, { endpoint: 'stream', deliveryStatus: 'copy', answerUnseen: true })
    await one.append(copy)
    await one.addUnseenAnswer(copy.receipt)
    await one.addUnseenAnswer('01234567-89ab-7def-8123-456789abcdef')
    await one.append(report(2))
    expect(await totals()).toEqual([['client_discard', null, 2]])
  })

  it('log once when the totals cannot be changed, and answer the sender', async () => {
    const { database, one, totals } = await openTwo()
    await one.append(report(2))
    await withClient(database, (client) =>
      client.query(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused by a test'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON waystation.totals_added FOR EACH ROW
          WHEN (NEW.entry = 'answer_unseen') EXECUTE FUNCTION refuse()`),
    )
    await one.append(errors(1, { answerUnseen: true }))
    await one.append(errors(1, { answerUnseen: true }))
    expect(await totals()).toEqual([['client_discard', null, 2]])
    expect(lines).toEqual([
      expect.stringMatching(/^items that arrived stay counted as network_error, .*: refused by a test$/),
    ])
  })
})
