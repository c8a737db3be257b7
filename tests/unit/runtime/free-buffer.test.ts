import { expect, it } from 'vitest'
import { freeBuffer } from '../../../collector/runtime/free-buffer'

it('freeBuffer empties a large buffer and leaves a small one', () => {
  const large = new Uint8Array(1024 * 1024)
  const small = Buffer.from('shares its memory with other buffers')
  freeBuffer(large)
  freeBuffer(small)
  expect([large.byteLength, small.toString()]).toEqual([0, 'shares its memory with other buffers'])
})

it('freeBuffer accepts a buffer that is already empty', () => {
  const large = new Uint8Array(1024 * 1024)
  freeBuffer(large)
  freeBuffer(large)
  expect(large.byteLength).toBe(0)
})
