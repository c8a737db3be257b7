import { describe, expect, it } from 'vitest'
import { PatientReader } from '../../../collector/relay/patient-reader'
import { StoreAwayError } from '../../../collector/spool-postgres/store-away'

/** A reader of a store that is away for some calls, and the work that waits for the clock. */
function setUp(failures: number, error: Error = new StoreAwayError('db:5432/waystation', 'connection lost')) {
  const later: (() => void)[] = []
  let calls = 0
  const answer = <Value>(value: Value) => {
    calls += 1
    return calls > failures ? Promise.resolve(value) : Promise.reject(error)
  }
  const reader = new PatientReader(
    {
      pending: () => answer([{ seq: 7, bytes: 1 }]),
      pendingIn: () => answer([{ seq: 7, bytes: 1 }]),
      record: () => answer(null),
    },
    (work) => {
      later.push(work)
      return () => undefined
    },
  )
  return { reader, later, calls: () => calls }
}

describe('reads of pending records while a shared store is away', () => {
  it('are repeated until it answers', async () => {
    const { reader, later, calls } = setUp(2)
    const found = reader.pendingIn({ publicKey: 'key', project: '1', lane: 0 }, 0, 10)
    for (const tries of [1, 2]) {
      await expect.poll(() => later.length).toBe(tries)
      later[tries - 1]?.()
    }
    expect(await found).toEqual([{ seq: 7, bytes: 1 }])
    expect(calls()).toBe(3)
  })

  it('find nothing when the collector stops', async () => {
    const { reader, later, calls } = setUp(100)
    const found = Promise.all([reader.pending('key', '1', 0, 10), reader.record(7)])
    await expect.poll(() => later.length).toBe(2)
    reader.end()
    expect(await found).toEqual([[], null])
    expect(await reader.record(8)).toBe(null)
    expect(calls()).toBe(3)
  })

  it('reject with any other error', async () => {
    const { reader } = setUp(1, new Error('out of memory'))
    await expect(reader.record(7)).rejects.toThrow('out of memory')
  })
})
