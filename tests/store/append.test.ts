import { expect, it } from 'vitest'
import { readTotals } from '../../collector/spool/read/read-ledger'
import { readOutcomesOf } from '../../collector/spool/read/read-outcomes'
import { keptSubmission, seqOf, submission } from '../unit/spool/in-process-spool'
import { describeStores } from './engines'

const KiB = 1024
const SIZES = [0, 1, 100, 64 * KiB, 64 * KiB + 1, 3 * KiB * KiB]

describeStores('append', (open) => {
  it('gives growing numbers, of records and of facts', async () => {
    const store = await open()
    const given: { readonly seq: number; readonly journal: number }[] = []
    for (let n = 0; n < 5; n += 1) {
      const appended = await store.append(submission())
      if ('needed' in appended) throw new Error('it does not fit')
      given.push(appended)
    }
    for (const [at, { seq, journal }] of given.entries()) {
      expect(seq).toBeGreaterThan(given[at - 1]?.seq ?? 0)
      expect(journal).toBeGreaterThan(given[at - 1]?.journal ?? 0)
    }
  })

  it('stores concurrent submissions, each with the number that it was answered', async () => {
    const store = await open()
    const sent = Array.from({ length: 50 }, (_, n) => submission({ size: n * 100 }))
    const seqs = await Promise.all(sent.map((one) => seqOf(store.append(one))))
    expect(new Set(seqs).size).toBe(sent.length)
    const stored = await Promise.all(seqs.map((seq) => store.record(seq)))
    expect(stored.map((one) => one?.receipt)).toEqual(sent.map(({ receipt }) => receipt))
    for (const [at, one] of sent.entries()) expect(Buffer.compare(stored[at]?.body ?? Buffer.of(1), one.body)).toBe(0)
  })

  it('stores bodies of every size as they are, whether deflate shortens them or not', async () => {
    const store = await open()
    const text = new TextEncoder().encode('a body that is deflated, '.repeat(1000))
    for (const one of [...SIZES.map((size) => submission({ size })), submission({ body: text })]) {
      const seq = await seqOf(store.append(one))
      const stored = await store.record(seq)
      expect(Buffer.compare(stored?.body ?? Buffer.of(1), one.body), `${one.body.length} bytes`).toBe(0)
    }
  })

  it('stores everything that a delivery and a page read', async () => {
    const store = await open()
    const facts = {
      ...submission().facts,
      userAgent: 'Mozilla/5.0 “x” \u0000 \\ 🦊',
      clientHints: { 'sec-ch-ua': '"Chromium";v="130"' },
      page: 'page-1',
      keptMs: 5,
      visitor: 'a'.repeat(64),
    }
    const sent = submission({
      facts,
      stamp: 'stämp',
      endpoint: 'otlp_traces',
      quantities: [
        { category: 'span', quantity: 12 },
        { category: 'attachment', quantity: 2 ** 40 },
      ],
    })
    const stored = await store.record(await seqOf(store.append(sent)))
    const { receivedAt, endpoint, receipt, stamp, quantities, body } = sent
    expect(stored).toEqual({ receivedAt, endpoint, receipt, stamp, facts, quantities, body: expect.anything() })
    expect(Buffer.compare(stored?.body ?? Buffer.of(1), body)).toBe(0)
    expect(await store.record(1_000_000)).toBeNull()
  })

  it('answers a receipt with the same bytes as before, and writes nothing', async () => {
    const store = await open()
    const sent = submission()
    const first = await store.append(sent)
    await store.append(submission())
    const head = await store.head()
    const { seq, journal } = { seq: 0, journal: 0, ...first }
    expect(await store.append(sent)).toMatchObject({ seq, journal })
    expect(await store.head()).toBe(head)
    expect(readTotals(await store.readSide()).items.received).toBe(2)
  })

  it('writes a receipt that arrives several times at once only once', async () => {
    const store = await open()
    const sent = submission({ quantities: [{ category: 'error', quantity: 3 }] })
    const answers = await Promise.all(Array.from({ length: 8 }, () => seqOf(store.append({ ...sent }))))
    expect(new Set(answers).size).toBe(1)
    expect(await store.pending('key', '1', 0, 10)).toHaveLength(1)
    const items = readTotals(await store.readSide()).items
    expect([items.received, items.pending]).toEqual([1, 1])
  })

  it('stores other bytes with the same receipt as another record', async () => {
    const store = await open()
    const first = submission({ size: 50 })
    const other = submission({ receipt: first.receipt, size: 50 })
    const longer = submission({ receipt: first.receipt, size: 51 })
    const seqs: number[] = []
    for (const one of [first, other, longer]) seqs.push(await seqOf(store.append(one)))
    const stored = await Promise.all(seqs.map((seq) => store.record(seq)))
    expect(stored.map((one) => Buffer.from(one?.body ?? []))).toEqual(
      [first, other, longer].map(({ body }) => Buffer.from(body)),
    )
    const receipts = stored.map((one) => one?.receipt)
    expect(new Set(receipts).size).toBe(3)
    expect(receipts[0]).toBe(first.receipt)
    for (const receipt of receipts) expect(receipt?.startsWith(first.receipt)).toBe(true)
    expect(await seqOf(store.append(first))).toBe(seqs[0])
  })

  it('stores other bytes with the same receipt that arrive at once', async () => {
    const store = await open()
    const first = submission()
    const other = submission({ receipt: first.receipt })
    const seqs = await Promise.all([first, other, first].map((one) => seqOf(store.append(one))))
    const stored = await Promise.all(seqs.map((seq) => store.record(seq)))
    expect(stored.map((one) => Buffer.from(one?.body ?? []))).toEqual(
      [first, other, first].map(({ body }) => Buffer.from(body)),
    )
    expect(new Set(seqs).size).toBe(2)
  })

  it('makes a submission pending, or decides it at once, or stores it as a copy that is never counted', async () => {
    const store = await open()
    const pending = await seqOf(store.append(submission()))
    const kept = await seqOf(store.append(keptSubmission()))
    const copy = await seqOf(store.append(submission({ endpoint: 'stream', deliveryStatus: 'copy' })))
    expect((await store.pending('key', '1', 0, 10)).map(({ seq }) => seq)).toEqual([pending])
    const db = await store.readSide()
    const outcomesOf = (seq: number) =>
      readOutcomesOf(db, seq)?.outcomes.map(({ outcome, reason }) => [outcome, reason])
    expect([pending, kept, copy].map(outcomesOf)).toEqual([[], [['kept', 'no_upstream']], []])
    expect(readTotals(db).items).toMatchObject({ received: 2, pending: 1, outcomes: { kept: 1 } })
    expect((await store.record(copy))?.endpoint).toBe('stream')
  })

  it('stores a submission without items', async () => {
    const store = await open()
    const seq = await seqOf(store.append(submission({ quantities: [] })))
    expect((await store.record(seq))?.quantities).toEqual([])
    expect(readTotals(await store.readSide()).items.received).toBe(0)
  })

  it('counts at most 200 category names; further ones are stored as other', async () => {
    const store = await open()
    const quantities = Array.from({ length: 300 }, (_, n) => ({ category: `made-up-${n}`, quantity: 1 }))
    const seq = await seqOf(store.append(submission({ quantities })))
    const stored = (await store.record(seq))?.quantities ?? []
    const names = new Set(stored.map(({ category }) => category))
    expect(stored).toHaveLength(300)
    expect([names.size > 100, names.size <= 201, names.has('other')]).toEqual([true, true, true])
    const later = await seqOf(store.append(submission({ quantities: [{ category: 'later', quantity: 7 }] })))
    expect((await store.record(later))?.quantities).toEqual([{ category: 'other', quantity: 7 }])
    const again = await seqOf(store.append(submission({ quantities: [{ category: 'made-up-0', quantity: 7 }] })))
    expect((await store.record(again))?.quantities).toEqual([{ category: 'made-up-0', quantity: 7 }])
  })

  it('stores names with characters that a database may refuse', async () => {
    const store = await open()
    const names = ['a\u0000b', 'a\ud800b', "a'b", 'a\\b', '{"a"}', 'NULL', '']
    for (const name of names) {
      const quantities = [{ category: name, quantity: 1 }]
      const discards = [{ category: name, reason: name, quantity: 2 }]
      await seqOf(store.append(submission({ quantities, discards })))
    }
    const { items, unexplained } = readTotals(await store.readSide())
    expect([items.received, items.pending, unexplained]).toEqual([names.length, names.length, []])
  })
})
