import { COUNTS, LIMITS, type Limits } from '../protocol/limits'
import { fail, type Result, succeed } from '../protocol/result'
import { nearest } from './nearest'
import { parseSize } from './size'

/**
 * Reads `event=2MiB,items=500`: what is not named keeps its number.
 * @returns the limits, or a sentence that says what was meant.
 */
export function parseLimits(text: string): Result<Limits, string> {
  const limits: Record<keyof Limits, number> = { ...LIMITS }
  for (const part of text.split(',').map((word) => word.trim())) {
    if (part === '') continue
    const [name = '', value = ''] = part.split('=').map((word) => word.trim())
    if (!isLimit(name)) return fail(`${JSON.stringify(name)} is no limit; the nearest is ${nearest(name, NAMES)}`)
    const number = COUNTS.has(name) ? count(value) : parseSize(value)
    if (number === null || number < 1)
      return fail(`${name}=${value} is no ${COUNTS.has(name) ? 'whole number from 1' : 'size such as 2MiB'}`)
    if (name === 'depth' && number > MOST_DEPTH)
      return fail(`depth=${value} is deeper than ${MOST_DEPTH} levels can be shown`)
    if (name === 'items' && number > MOST_ITEMS)
      return fail(
        `items=${value} is more than ${MOST_ITEMS}, beyond which what one envelope tells of has no places in a list`,
      )
    limits[name] = number
  }
  return succeed(limits)
}

/** What is read is walked, cloned and written as deep as a call stack goes; this is far from its end. */
const MOST_DEPTH = 200

/**
 * Each item of an envelope may be a trace or a segment, beside the 20,000 rows of its entries: with these they fit into
 * the 65,536 places that a record has in a list (`collector/index/list-page.ts`).
 */
const MOST_ITEMS = 40_000

const NAMES = Object.keys(LIMITS) as readonly (keyof Limits)[]
const isLimit = (name: string): name is keyof Limits => Object.hasOwn(LIMITS, name)
const count = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null)
