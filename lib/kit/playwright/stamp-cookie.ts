import type { BrowserContext } from '@playwright/test'
import { STAMP_COOKIE } from '../../protocol/request'

/** As much of a context as has cookies. */
export type WithCookies = Pick<BrowserContext, 'addCookies' | 'clearCookies' | 'cookies'>

export interface StampCookie {
  /** Gives it to a context, which keeps it when a test clears its cookies. */
  readonly give: (context: WithCookies) => Promise<void>
  /** Is it gone from a context that it was given to? `false` of one that is closed: nobody can tell. */
  readonly isGone: (context: WithCookies) => Promise<boolean>
}

/** What ties a test's pages to it: without it what they send is nobody's, and the test sees nothing of it. */
export function stampCookie(stamp: string, origins: readonly string[]): StampCookie {
  const given = new Set<WithCookies>()
  const cookies = origins.map((url) => ({ name: STAMP_COOKIE, value: stamp, url }))
  return {
    give: async (context) => {
      await context.addCookies(cookies)
      if (given.has(context)) return
      given.add(context)
      const clearCookies = context.clearCookies.bind(context)
      context.clearCookies = async (options) => {
        await clearCookies(options)
        await context.addCookies(cookies)
      }
    },
    isGone: async (context) => {
      if (!given.has(context)) return false
      const kept = await Promise.all(origins.map((url) => context.cookies(url))).catch(() => null)
      return kept?.some((of) => !of.some(({ name, value }) => name === STAMP_COOKIE && value === stamp)) ?? false
    },
  }
}
