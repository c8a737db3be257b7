import { expect, it } from 'vitest'
import { LEAVE_MS, leavePages, type PageToLeave } from '../../../../lib/kit/playwright/leave-page'
import { everythingElse, manualClock } from '../manual-clock'

const SHOP = 'http://localhost:3000'

interface Frame {
  readonly url: string
  /** The answer of the document after it was hidden. */
  readonly says: () => Promise<boolean>
}

/** A page whose frames say this when it is left, in a context whose pages are prepared. */
function leaving(frames: readonly Frame[]) {
  const clock = manualClock()
  const events: string[] = []
  let isSending = false
  const page: PageToLeave = {
    isClosed: () => events.includes('closed'),
    frames: () =>
      frames.map(({ url, says }) => ({
        url: () => url,
        evaluate: () => {
          events.push(`hidden ${url}`)
          return says()
        },
      })),
    close: async () => void events.push('closed'),
  }
  const context = {
    pages: () => [page],
    on: () => undefined,
    close: async () => void events.push('context closed'),
  }
  leavePages<PageToLeave>({
    origins: [SHOP],
    observer: { isSending: () => isSending, hasSent: () => void events.push('has sent') },
    clock,
  })(context)
  return {
    page,
    context,
    clock,
    events,
    setSending: (value: boolean) => {
      isSending = value
    },
  }
}

const sent = (url: string): Frame => ({ url, says: () => Promise.resolve(true) })

it('a page is hidden, then closed, and has sent; frames of other sites are left alone', async () => {
  const { page, events } = leaving([sent(`${SHOP}/cart`), sent('https://ads.test/'), sent(`${SHOP}/frame`)])
  await page.close()
  expect(events).toEqual([`hidden ${SHOP}/cart`, `hidden ${SHOP}/frame`, 'has sent', 'closed'])
})

it('a context that is closed leaves its pages first', async () => {
  const { context, events } = leaving([sent(`${SHOP}/`)])
  await context.close()
  expect(events).toEqual([`hidden ${SHOP}/`, 'has sent', 'context closed'])
})

it('a page of another site, and one that is closed already, are closed at once', async () => {
  const { page, events } = leaving([sent('about:blank')])
  await page.close()
  await page.close()
  expect(events).toEqual(['closed', 'closed'])
})

it.each<[string, () => Promise<boolean>]>([
  ['does not answer', () => new Promise(() => undefined)],
  ['has not sent everything', () => Promise.resolve(false)],
  ['crashed', () => Promise.reject(new Error('Target crashed'))],
])('a page that %s is closed after the longest time, and proves nothing', async (_how, says) => {
  const { page, events, clock } = leaving([{ url: `${SHOP}/`, says }])
  const closing = page.close()
  await clock.advance(LEAVE_MS)
  await closing
  expect(events).toEqual([`hidden ${SHOP}/`, 'closed'])
})

it('a page is closed when its posts are answered, or after the longest time', async () => {
  const answered = leaving([sent(`${SHOP}/`)])
  answered.setSending(true)
  const closing = answered.page.close()
  await answered.clock.advance(LEAVE_MS / 2)
  expect(answered.events).not.toContain('closed')
  answered.setSending(false)
  await answered.clock.advance(100)
  await closing
  expect(answered.events).toContain('has sent')

  const late = leaving([sent(`${SHOP}/`)])
  late.setSending(true)
  const ended = late.page.close()
  await late.clock.advance(LEAVE_MS)
  await everythingElse()
  await ended
  expect(late.events).toEqual([`hidden ${SHOP}/`, 'closed'])
})
