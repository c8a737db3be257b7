import { describe, expect, it } from 'vitest'
import { createTurns } from '../../../collector/http/turns'

describe('turns', () => {
  it('are given to so many at once, and to the others in order', async () => {
    const takeTurn = createTurns(2)
    const begun: number[] = []
    const ends: (() => void)[] = []
    const works = [0, 1, 2, 3].map((index) =>
      takeTurn(async () => {
        begun.push(index)
        await new Promise<void>((resolve) => {
          ends[index] = resolve
        })
        return index
      }),
    )
    const next = () => new Promise((resolve) => setImmediate(resolve))
    await next()
    expect(begun).toEqual([0, 1])
    ends[1]?.()
    await next()
    expect(begun).toEqual([0, 1, 2])
    ends[0]?.()
    await next()
    expect(begun).toEqual([0, 1, 2, 3])
    ends[2]?.()
    ends[3]?.()
    expect(await Promise.all(works)).toEqual([0, 1, 2, 3])
  })

  it('are passed on by work that fails', async () => {
    const takeTurn = createTurns(1)
    const failing = takeTurn(() => Promise.reject(new Error('broken')))
    const after = takeTurn(async () => 'done')
    await expect(failing).rejects.toThrow('broken')
    expect(await after).toBe('done')
    expect(await takeTurn(async () => 'again')).toBe('again')
  })
})
