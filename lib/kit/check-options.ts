import { nameHint } from '../config/nearest'

/**
 * Refuses what nobody reads: a name that is none is mistyped, and what it says would be left out silently.
 * @param who takes the options, for the sentence
 * @param given left out, or an object
 * @throws TypeError with the name that was meant
 */
export function checkNames(who: string, given: unknown, names: readonly string[]): void {
  if (given === undefined) return
  if (names.length === 0) throw new TypeError(`${who} takes no options, and was given ${typed(given)}`)
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${who}: options are ${typed(given)}, and are meant as { ${names.join(', ')} }`)
  for (const name of Object.keys(given))
    if (!names.includes(name)) throw new TypeError(`${who}: ${name} is no option; ${nameHint(name, names)}`)
}

function typed(given: unknown): string {
  if (given === null) return 'null'
  if (Array.isArray(given)) return 'a list'
  return typeof given === 'object' ? `{ ${Object.keys(given).join(', ')} }` : `a ${typeof given}`
}

/** Timers know no more: one of longer ends at once. Some 24 days. */
const MOST_MS = 2_147_483_647

/** @throws TypeError where it is no time that can be waited for. @param least 0 where none at all may be meant */
export function checkMs(name: string, ms: unknown, least: 0 | 1 = 1): void {
  const isMs = typeof ms === 'number' && (least === 0 ? ms >= 0 : ms > 0) && ms <= MOST_MS
  if (isMs) return
  const given = typeof ms === 'string' ? JSON.stringify(ms) : String(ms)
  throw new TypeError(
    `${name} is ${given}, and is meant as ms, ${least === 0 ? 'from 0 to' : 'above 0 and up to'} ${MOST_MS}`,
  )
}
