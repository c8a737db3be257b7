import { describe, expect, it } from 'vitest'
import { MOST_HELD } from '../../../collector/stand-in/held-posts'
import { openPost, post, standIn } from './posting'

describe('the stand-in', () => {
  it(`holds ${MOST_HELD} posts open, and cuts the next`, async () => {
    const to = await standIn()
    to.play({ answers: [{ does: 'hang' }] })
    const open = Array.from({ length: MOST_HELD + 1 }, () => openPost(to))
    await expect.poll(() => to.received().length).toBe(MOST_HELD + 1)
    await expect.poll(() => open.filter((one) => one.failure() !== null).length).toBe(1)
  })

  it('counts only those that wait: one that was answered makes room', async () => {
    const to = await standIn()
    to.play({ answers: [{ status: 202, delayMs: 1 }] })
    const statuses = new Set<number>()
    for (let sent = 0; sent < MOST_HELD * 2; sent += 50) {
      const answered = await Promise.all(Array.from({ length: 50 }, () => post(to)))
      for (const { status } of answered) statuses.add(status)
    }
    expect([...statuses]).toEqual([202])
  })

  it('lets every post go when it holds none any more, and cuts those that would be held', async () => {
    const to = await standIn()
    to.play({ answers: [{ does: 'hang' }] })
    const open = openPost(to)
    await expect.poll(() => to.received().length).toBe(1)
    to.endHeld()
    await expect.poll(open.failure).toBe('ECONNRESET')
    await expect(post(to)).rejects.toThrow()
  })
})
