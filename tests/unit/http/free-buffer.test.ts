import { describe, expect, it } from 'vitest'
import { freeBuffer } from '../../../collector/http/free-buffer'

describe('a body that is freed', () => {
  it('is empty when it was large, and stays what it is when it was not', () => {
    const large = new Uint8Array(1024 * 1024)
    const small = Buffer.from('shares its memory with other buffers')
    freeBuffer(large)
    freeBuffer(small)
    expect([large.byteLength, small.toString()]).toEqual([0, 'shares its memory with other buffers'])
  })

  it('may be freed again', () => {
    const large = new Uint8Array(1024 * 1024)
    freeBuffer(large)
    freeBuffer(large)
    expect(large.byteLength).toBe(0)
  })
})
