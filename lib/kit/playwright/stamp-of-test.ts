import { basename } from 'node:path'

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
