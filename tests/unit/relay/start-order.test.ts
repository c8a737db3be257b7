import { describe, expect, it } from 'vitest'
import { StartOrder } from '../../../collector/relay/open-posts'

describe('those who get ready at their own pace', () => {
  it('start in the order in which they came, also behind one that does not start after all', async () => {
    const order = new StartOrder()
    const turns = [1, 2, 3, 4].map(() => order.next())
    const started: number[] = []
    const start = async (which: number): Promise<void> => {
      await turns[which - 1]?.ready
      started.push(which)
      turns[which - 1]?.passed()
    }
    // The third passes at once, and lets nobody by before the first and the second.
    turns[2]?.passed()
    await Promise.all([start(4), start(2), start(1)])
    expect(started).toEqual([1, 2, 4])
  })
})
