import { expect, it } from 'vitest'
import { type CookieContext, stampCookie } from '../../../../lib/kit/playwright/stamp'

const ORIGINS = ['http://localhost:3000', 'http://localhost:4000']

/** A fake browser context with cookies. */
function context({ isClosed = false } = {}): CookieContext {
  type Given = Parameters<CookieContext['addCookies']>[0]
  let jar: Given = []
  return {
    addCookies: async (cookies) => {
      jar = [...jar, ...cookies]
    },
    clearCookies: async () => {
      jar = []
    },
    cookies: async (url) => {
      if (isClosed) throw new Error('Target page, context or browser has been closed')
      const rest = {
        domain: 'localhost',
        path: '/',
        expires: -1,
        httpOnly: false,
        secure: false,
        sameSite: 'Lax' as const,
      }
      return jar.flatMap(({ name, value, url: of }) => (of === url ? [{ ...rest, name, value }] : []))
    },
  }
}

it('is added again when the test clears cookies', async () => {
  const { addTo: give, isMissing: isGone } = stampCookie('mine', ORIGINS)
  const given = context()
  await give(given)
  await given.clearCookies()
  expect(await given.cookies(ORIGINS[1])).toMatchObject([{ name: 'waystation-stamp', value: 'mine' }])
  expect(await isGone(given)).toBe(false)
})

it('is missing if a page or its server removed it', async () => {
  const { addTo: give, isMissing: isGone } = stampCookie('mine', ORIGINS)
  const given = context()
  const clearAtOnce = given.clearCookies
  await give(given)
  expect(await isGone(given)).toBe(false)
  await clearAtOnce()
  expect(await isGone(given)).toBe(true)
})

it('is not missing in other or closed contexts', async () => {
  const { addTo: give, isMissing: isGone } = stampCookie('mine', ORIGINS)
  expect(await isGone(context())).toBe(false)
  const closed = context({ isClosed: true })
  await give(closed)
  expect(await isGone(closed)).toBe(false)
})
