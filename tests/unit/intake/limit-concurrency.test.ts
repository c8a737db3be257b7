import { expect, it } from 'vitest'
import { limitConcurrency } from '../../../collector/intake/decoder'

it('limitConcurrency runs this many at once and queues the rest in order', async () => {
  const takeTurn = limitConcurrency(2)
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

it('limitConcurrency continues after work that fails', async () => {
  const takeTurn = limitConcurrency(1)
  const failing = takeTurn(() => Promise.reject(new Error('broken')))
  const after = takeTurn(async () => 'done')
  await expect(failing).rejects.toThrow('broken')
  expect(await after).toBe('done')
  expect(await takeTurn(async () => 'again')).toBe('again')
})
