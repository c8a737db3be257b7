import { basename } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { STAMP_COOKIE } from '../../protocol/request'

export type CookieContext = Pick<BrowserContext, 'addCookies' | 'clearCookies' | 'cookies'>

export interface StampCookie {
  /** Adds it to a context, and again when the test clears its cookies. */
  readonly addTo: (context: CookieContext) => Promise<void>
  /** Was it removed from a context? `false` for a closed context, which cannot be checked. */
  readonly isMissing: (context: CookieContext) => Promise<boolean>
}

/** The cookie that assigns telemetry of pages to a test. Without it the test does not receive their telemetry. */
export function stampCookie(stamp: string, origins: readonly string[]): StampCookie {
  const given = new Set<CookieContext>()
  const cookies = origins.map((url) => ({ name: STAMP_COOKIE, value: stamp, url }))
  return {
    addTo: async (context) => {
      await context.addCookies(cookies)
      if (given.has(context)) return
      given.add(context)
      const clearCookies = context.clearCookies.bind(context)
      context.clearCookies = async (options) => {
        await clearCookies(options)
        await context.addCookies(cookies)
      }
    },
    isMissing: async (context) => {
      if (!given.has(context)) return false
      const kept = await Promise.all(origins.map((url) => context.cookies(url))).catch(() => null)
      return kept?.some((of) => !of.some(({ name, value }) => name === STAMP_COOKIE && value === stamp)) ?? false
    },
  }
}

const LETTERS = 64

export interface TestPosition {
  readonly file: string
  readonly line: number
  /** The number of the retry, from 0. */
  readonly retry: number
}

/** A unique stamp that names the test: `cart.spec.ts:12-9f3a61c27b04`. @param random letters and digits */
export function stampOfTest({ file, line, retry }: TestPosition, random: string): string {
  const end = `:${line}${retry === 0 ? '' : `:retry${retry}`}-${random}`
  const name = basename(file)
    .replace(/[^A-Za-z0-9_.-]/g, '_')
    .replace(/^\.+/, '')
  const fits = name.slice(0, LETTERS - end.length)
  return `${fits === '' ? 'test' : fits}${end}`
}
