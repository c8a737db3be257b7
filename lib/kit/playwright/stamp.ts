import { basename } from 'node:path'
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

/** Of a stamp; the most that one may have. */
const LETTERS = 64

export interface TestPlace {
  readonly file: string
  readonly line: number
  /** The how manieth try this is, from 0. */
  readonly retry: number
}

/**
 * A stamp that no other test has, and that a person finds the test by: `cart.spec.ts:12-9f3a61c27b04`.
 * @param random of letters and digits
 */
export function stampOfTest({ file, line, retry }: TestPlace, random: string): string {
  const end = `:${line}${retry === 0 ? '' : `:retry${retry}`}-${random}`
  const name = basename(file)
    .replace(/[^A-Za-z0-9_.-]/g, '_')
    .replace(/^\.+/, '')
  const fits = name.slice(0, LETTERS - end.length)
  return `${fits === '' ? 'test' : fits}${end}`
}
