import { describe, expect, it } from 'vitest'
import { Backlog } from '../../../collector/relay/backlog'
import { aRecord, theUpstream } from './made-record'

/** A backlog over records on disk. `reads` lists the positions that `pending` was called with. */
function over(onDisk: { seq: number; bytes: number }[], most = 60) {
  const reads: number[] = []
  const elsewhere = new Set<number>()
  const backlog = new Backlog(
    theUpstream,
    {
      pending: async (_key, _project, after, limit) => {
        reads.push(after)
        return onDisk.filter(({ seq }) => seq > after).slice(0, limit)
      },
    },
    most,
    (seq) => elsewhere.has(seq),
  )
  const take = (): number[] => {
    const seqs: number[] = []
    for (let next = backlog.next(); next !== undefined; next = backlog.next()) seqs.push(next.seq)
    return seqs
  }
  return { backlog, reads, take, onDisk, elsewhere }
}

/** Small records on disk. */
const stored = (...seqs: readonly number[]) => seqs.map((seq) => ({ seq, bytes: 2 }))
const fresh = (seq: number, pendingAfter: number, bytes = 2) => ({
  seq,
  pendingAfter,
  content: aRecord(new Uint8Array(bytes)),
})

it('a fresh record is returned with its bytes, and is not read from disk', async () => {
  const { backlog, reads } = over(stored(1))
  backlog.offer(fresh(1, 0))
  expect(backlog.next()?.content?.body).toHaveLength(2)
  backlog.grew(1)
  await backlog.read()
  expect(reads).toEqual([1])
  expect(backlog.next()).toBeUndefined()
})

it('a fresh record is read in its turn when an earlier one was not offered', async () => {
  const { backlog, take } = over(stored(4, 5))
  backlog.offer(fresh(5, 4))
  expect(take()).toEqual([])
  expect(await backlog.read()).toBe(true)
  expect(take()).toEqual([4, 5])
  backlog.offer(fresh(4, 3))
  expect(take()).toEqual([])
})

it('a fresh record is read in its turn when offered during a read, and is returned once', async () => {
  const { backlog, take } = over(stored(1, 2))
  const reading = backlog.read()
  backlog.offer(fresh(2, 1))
  await reading
  expect(take()).toEqual([1, 2])
  await backlog.read()
  expect(take()).toEqual([])
})

it.each([
  ['it is large', fresh(1, 0, 64 * 1024 + 1)],
  ['others wait before it', fresh(2, 1)],
])('a fresh record waits on disk when %s', async (_, one) => {
  const { backlog, take, onDisk } = over([])
  if (one.seq === 2) backlog.offer(fresh(1, 0))
  backlog.offer(one)
  expect(take()).toEqual(one.seq === 2 ? [1] : [])
  onDisk.push({ seq: one.seq, bytes: 2 })
  await backlog.read()
  expect(take()).toEqual([one.seq])
})

it('a requeued record goes before younger ones, and its bytes stay on disk', () => {
  const { backlog } = over([])
  const [first, second] = [1, 2].map((seq) => {
    backlog.offer(fresh(seq, seq - 1))
    return backlog.next()
  })
  for (const one of [second, first]) if (one !== undefined) backlog.requeue(one)
  expect(backlog.next()).toEqual({ seq: 1, bytes: 2 })
  expect(backlog.next()).toEqual({ seq: 2, bytes: 2 })
})

describe('an older record that is pending again', () => {
  it('goes in its order, and the records after it are returned once', async () => {
    const { backlog, take, onDisk } = over(stored(2, 4))
    await backlog.read()
    onDisk.unshift({ seq: 1, bytes: 2 })
    backlog.rewind(1)
    await backlog.read()
    expect(take()).toEqual([1, 2, 4])
    await backlog.read()
    expect(take()).toEqual([])
  })

  it('is not missed by a read that started earlier', async () => {
    const { backlog, take, onDisk } = over(stored(2))
    const reading = backlog.read()
    onDisk.unshift({ seq: 1, bytes: 2 })
    backlog.rewind(1)
    expect(await reading).toBe(true)
    await backlog.read()
    expect(take()).toEqual([1, 2])
  })

  it('does not return records that are elsewhere, requeued, or settled during the read', async () => {
    const { backlog, take, elsewhere } = over(stored(1, 2, 3, 4))
    await backlog.read()
    take()
    elsewhere.add(2)
    backlog.requeue({ seq: 3, bytes: 2 })
    backlog.rewind(1)
    const reading = backlog.read()
    backlog.finished(4)
    await reading
    expect(take()).toEqual([1, 3])
  })
})

it('while no new records may be read, only requeued records are returned', async () => {
  const { backlog } = over(stored(1, 2))
  await backlog.read()
  backlog.requeue({ seq: 3, bytes: 2 })
  expect(backlog.next('requeued')?.seq).toBe(3)
  expect(backlog.next('requeued')).toBeUndefined()
  expect(backlog.next()?.seq).toBe(1)
})

it('a relay that ends gets no more records, and reads nothing', async () => {
  const { backlog, reads, take } = over(stored(1))
  backlog.offer(fresh(1, 0))
  backlog.end()
  expect(take()).toEqual([])
  expect(await backlog.read()).toBe(false)
  expect(reads).toEqual([])
})

describe('records that the list contains', () => {
  const listed = (seq: number) => ({
    seq,
    bytes: 2,
    stored: {
      receivedAt: 1,
      endpoint: 'envelope' as const,
      receipt: `receipt-${seq}`,
      facts: '{"method":"POST"}',
      quantities: '[["error",1]]',
      body: new Uint8Array([seq, seq]),
    },
  })

  it('are returned with their bytes, facts and quantities', async () => {
    const { backlog } = over([listed(1), { seq: 2, bytes: 70_000 }])
    await backlog.read()
    expect(backlog.next()).toEqual({
      seq: 1,
      bytes: 2,
      content: {
        receivedAt: 1,
        endpoint: 'envelope',
        receipt: 'receipt-1',
        facts: { method: 'POST' },
        quantities: [{ category: 'error', quantity: 1 }],
        body: new Uint8Array([1, 1]),
      },
    })
    expect(backlog.next()).toEqual({ seq: 2, bytes: 70_000 })
  })

  it('are read again when an outcome was written while they were queued or read', async () => {
    const { backlog } = over([listed(1), listed(2), listed(3)])
    const reading = backlog.read()
    backlog.decided(3)
    await reading
    backlog.decided(1)
    const handedOut = [backlog.next(), backlog.next(), backlog.next()]
    expect(handedOut.map((one) => [one?.seq, one?.content?.receipt])).toEqual([
      [1, undefined],
      [2, 'receipt-2'],
      [3, undefined],
    ])
  })

  it('are read again when they are requeued', async () => {
    const { backlog } = over([listed(1)])
    await backlog.read()
    const first = backlog.next()
    if (first !== undefined) backlog.requeue(first)
    expect(backlog.next()).toEqual({ seq: 1, bytes: 2 })
  })
})
