import { afterAll, describe, expect, it } from 'vitest'
import { PageMismatchError } from '../../../collector/spool/mirror/check-page'
import { Mirror, OwnRecordError } from '../../../collector/spool/mirror/mirror'
import { expectedTables } from '../../../collector/spool/schema'
import { keptSubmission, openInProcess, removeFolders } from './in-process-spool'
import { mirrored, pageOf, START } from './mirror-pages-by-hand'
import { type OpenMirror, openMirror } from './mirrored-traffic'

afterAll(removeFolders)

/** Every row of the file, by table. */
const rowsOf = ({ db }: OpenMirror): readonly (readonly [string, readonly unknown[]])[] =>
  [...expectedTables().keys()].map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()])

const seqsOf = ({ db }: OpenMirror, table: string): readonly unknown[] =>
  db.prepare(`SELECT seq FROM ${table} ORDER BY seq`).pluck().all()

const TWO = [{ received: {} }, { received: {} }, { delivered: 1, status: 200 }, { decided: 1 }] as const

describe('a page', () => {
  it('moves the cursor, and is news with its facts and its changes of the totals', () => {
    const { mirror } = openMirror()
    expect(mirror.cursor()).toEqual(START)
    const entry = { category: 'error', entry: 'received', reason: '', quantity: 1, items: 1 } as const
    const page = pageOf(START, TWO, { totals: [1, 2].map((journal) => ({ ...entry, journal, stamp: 's' })) })
    expect(mirror.apply(page)).toEqual({
      facts: page.facts,
      totals: [{ ...entry, quantity: 2, items: 2 }],
      used: mirror.budget.used,
    })
    expect(mirror.cursor()).toEqual({ n: 4, batch: 'batch-4' })
  })

  const first = pageOf(START, TWO)
  const second = pageOf(first.upTo, [{ received: {} }, { kind: 'changed' }])
  it.each([
    ['twice', first],
    ['of another batch', { ...second, from: { n: 4, batch: 'other' } }],
    ['that begins later', pageOf({ n: 5, batch: 'batch-5' }, TWO)],
    ['with a gap', { ...second, facts: second.facts.slice(1) }],
    ['that ends early', { ...second, facts: second.facts.slice(0, 1) }],
    ['with a record that it did not receive', { ...second, records: first.records }],
    ['with an attempt that it did not make', { ...second, attempts: first.attempts }],
  ])('is refused %s, and nothing changes', (_, page) => {
    const open = openMirror()
    open.mirror.apply(first)
    const before = rowsOf(open)
    expect(() => open.mirror.apply(page)).toThrow(PageMismatchError)
    expect([rowsOf(open), open.mirror.cursor()]).toEqual([before, first.upTo])
    open.mirror.apply(second)
    expect(open.mirror.cursor()).toEqual(second.upTo)
  })

  it('may lack records that were deleted since, and their attempts', () => {
    const open = openMirror()
    open.mirror.apply({ ...pageOf(START, [...TWO, { delivered: 2 }]), records: [], attempts: [], outcomes: [] })
    expect([open.mirror.cursor().n, seqsOf(open, 'submissions'), seqsOf(open, 'journal').length]).toEqual([5, [], 5])
  })

  it('is the first one of a mirror, although older facts were deleted', () => {
    const open = openMirror()
    open.mirror.apply({
      ...pageOf({ n: 100, batch: 'batch-100' }, [{ received: {} }, { kind: 'changed' }]),
      from: START,
    })
    expect([open.mirror.cursor().n, seqsOf(open, 'submissions')]).toEqual([102, [101]])
  })

  it('that fails is rolled back in memory as well', () => {
    const open = openMirror()
    open.mirror.apply(first)
    const [before, sums] = [rowsOf(open), open.mirror.budget.sums]
    const broken = pageOf(first.upTo, [{ received: {} }, { decided: 1 }])
    expect(() => open.mirror.apply(broken)).toThrow('UNIQUE')
    expect([rowsOf(open), open.mirror.budget.sums]).toEqual([before, sums])
    expect(open.mirror.apply(second).facts).toEqual(second.facts)
  })

  it('is followed by the next one after a restart', () => {
    const open = openMirror()
    open.mirror.apply(first)
    open.db.close()
    const again = openMirror(open.folder)
    expect(again.mirror.cursor()).toEqual(first.upTo)
    again.mirror.apply(second)
    expect(seqsOf(again, 'submissions')).toEqual([1, 2, 5])
  })
})

describe('the state of a record', () => {
  it('follows its facts: pending, dead letter, pending again, decided', () => {
    const open = openMirror()
    const states = () => [seqsOf(open, 'pending_deliveries'), seqsOf(open, 'dead_letters')]
    const steps = [
      { received: {} },
      { delivered: 1, status: 413, becameDead: true },
      { pending: 1 },
      { decided: 1 },
    ] as const
    const expected = [
      [[1], []],
      [[], [1]],
      [[1], []],
      [[], []],
    ]
    for (const [at, step] of steps.entries()) {
      open.mirror.apply(pageOf(open.mirror.cursor(), [step]))
      expect(states(), `fact ${at + 1}`).toEqual(expected[at])
    }
    expect(open.mirror.budget.sums).toMatchObject({ records: 1, pendingRecords: 0, pendingBytes: 0, deadBytes: 0 })
  })

  it('keeps both records when the shared record has forgotten the receipt of the first', () => {
    const open = openMirror()
    open.mirror.apply(pageOf(START, [{ received: { receipt: 'same' } }, { received: { receipt: 'same' } }]))
    expect(open.db.prepare('SELECT receipt FROM submissions ORDER BY seq').pluck().all()).toEqual(['same', 'same+2'])
  })

  it('ends with a deletion, also in the page that brought the record', () => {
    const open = openMirror()
    const changes = [{ kind: 'deleted', seqs: [1, 2, 9] }] as const
    open.mirror.apply(pageOf(START, [...TWO, { received: {} }], { changes }))
    expect([seqsOf(open, 'submissions'), seqsOf(open, 'outcomes'), seqsOf(open, 'pending_deliveries')]).toEqual([
      [5],
      [],
      [5],
    ])
    expect([open.mirror.counters.get('evicted_records'), open.mirror.budget.sums.records]).toEqual([0, 1])
  })
})

it('totals of a stamp that was dropped begin again with the next record', () => {
  const { mirror, db } = openMirror()
  const entry = { stamp: 's', category: 'error', entry: 'received', reason: '', quantity: 1, items: 1 } as const
  const accepted = { ...entry, entry: 'accepted' } as const
  mirror.apply(pageOf(START, [{ received: { stamp: 's' } }], { totals: [{ ...entry, journal: 1 }] }))
  const others = Array.from({ length: 1000 }, (_, n) => ({ ...entry, stamp: `other-${n}`, journal: 2 + n }))
  mirror.apply(
    pageOf(
      mirror.cursor(),
      others.map(({ stamp }) => ({ received: { stamp } })),
      { totals: others },
    ),
  )
  const again = [
    { ...entry, journal: 1002 },
    { ...accepted, journal: 1 },
    { ...accepted, journal: 1002 },
  ]
  mirror.apply(pageOf(mirror.cursor(), [{ received: { stamp: 's' } }], { totals: again }))
  const totals = db.prepare("SELECT entry, quantity FROM stamp_ledger_totals WHERE stamp = 's' ORDER BY entry").all()
  expect(totals).toEqual([
    { entry: 'accepted', quantity: 1 },
    { entry: 'received', quantity: 1 },
  ])
})

it('a decision counts towards the period of a limit that was stored in the same page, however late it is applied', () => {
  const { mirror, db } = openMirror()
  const limit = {
    publicKey: 'key',
    project: '1',
    category: 'error',
    until: 60_000,
    receivedAt: 1000,
    reason: null,
    scope: null,
    sourceSeq: 1,
  }
  const limited = { outcome: 'rate_limited', reason: 'limited' } as const
  mirror.apply(
    pageOf(START, [{ received: {} }, { received: {} }, { decided: 1, ...limited }], {
      changes: [{ kind: 'limits', limits: [limit] }],
    }),
  )
  mirror.apply(pageOf(mirror.cursor(), [{ decided: 2, ...limited }]))
  expect(db.prepare('SELECT source_seq, cut FROM limit_periods').all()).toEqual([{ source_seq: 1, cut: 2 }])
})

it('settings of the mirror itself are not changed by those of the shared record', () => {
  const { mirror } = openMirror()
  const changes = [{ kind: 'setting', name: 'mirror cursor', value: '7' }] as const
  mirror.apply(pageOf(START, [{ kind: 'changed' }], { changes }))
  expect(mirror.cursor()).toEqual({ n: 1, batch: 'batch-1' })
})

it('a reset empties the file, which then begins with the first fact of another record', () => {
  const open = openMirror()
  open.mirror.apply(pageOf(START, TWO, { changes: [{ kind: 'refusal', reason: 'full', bytes: 1, path: null }] }))
  open.mirror.reset()
  expect(rowsOf(open).filter(([, rows]) => rows.length > 0)).toEqual([])
  expect([open.mirror.cursor(), open.mirror.budget.sums.records]).toEqual([START, 0])
  open.mirror.apply(pageOf(START, [{ received: { body: mirrored(1).body } }]))
  expect([seqsOf(open, 'submissions'), seqsOf(open, 'pending_deliveries')]).toEqual([[1], [1]])
})

it('refuses a file with a record of its own', async () => {
  const spool = openInProcess({})
  await spool.append(keptSubmission())
  expect(() => new Mirror(spool.db, { now: () => 0, monotonic: () => 0 })).toThrow(OwnRecordError)
})
