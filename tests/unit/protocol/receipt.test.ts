import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { receiptAt } from '../../../lib/protocol/request'

const NOW = 1_795_000_000_000

describe('a receipt', () => {
  it('is a UUID of version 7', () => {
    const receipt = receiptAt(NOW, '919108f7-52d1-4320-9bac-f847db4148a8')
    expect(receipt).toBe('01a1ee56-5e00-7320-9bac-f847db4148a8')
    expect(receipt).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('sorts behind every one that was made before', () => {
    const made = [0, 1, 255, 256, 1_000_000].map((ms) => receiptAt(NOW + ms, randomUUID()))
    expect([...made].sort()).toEqual(made)
  })

  it('is another one in the same moment', () => {
    expect(receiptAt(NOW, randomUUID())).not.toBe(receiptAt(NOW, randomUUID()))
  })
})
