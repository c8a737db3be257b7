import { nameHint } from '../config/nearest'
import { formatValue } from '../verdict/text'

/** Rejects unknown option names, which would be ignored silently. @throws TypeError with a similar name */
export function checkNames(who: string, given: unknown, names: readonly string[]): void {
  if (given === undefined) return
  if (typeof given !== 'object' || given === null)
    throw new TypeError(`${who}: options must be { ${names.join(', ')} }, got ${typed(given)}`)
  for (const name of Object.keys(given))
    if (!names.includes(name)) throw new TypeError(`${who}: unknown option ${name}; ${nameHint(name, names)}`)
}

function typed(given: unknown): string {
  if (given === null) return 'null'
  if (Array.isArray(given)) return 'a list'
  return typeof given === 'object' ? `{ ${Object.keys(given).join(', ')} }` : `a ${typeof given}`
}

/** The maximum of Node's timers, about 24 days: a longer one fires at once. */
const MAX_TIMER_MS = 2_147_483_647

/** @throws TypeError for an invalid duration. @param least 0 if zero is valid */
export function checkMs(name: string, ms: unknown, least: 0 | 1 = 1): void {
  const isMs = typeof ms === 'number' && (least === 0 ? ms >= 0 : ms > 0) && ms <= MAX_TIMER_MS
  if (isMs) return
  const given = typeof ms === 'string' ? JSON.stringify(ms) : String(ms)
  throw new TypeError(
    `${name} must be ms ${least === 0 ? 'from 0 to' : 'above 0 and up to'} ${MAX_TIMER_MS}, got ${given}`,
  )
}

/**
 * Accepts signals of another realm, such as those of jsdom, in which `instanceof AbortSignal` is false.
 * @throws TypeError for anything else
 */
export function checkSignal(name: string, signal: unknown): void {
  if (signal === undefined) return
  if (typeof signal === 'object' && signal !== null && 'aborted' in signal && 'addEventListener' in signal) return
  const isController = typeof signal === 'object' && signal !== null && 'signal' in signal && 'abort' in signal
  const given = isController ? 'an AbortController; pass its `signal`' : formatValue(signal)
  throw new TypeError(`${name} must be an AbortSignal such as AbortSignal.timeout(2_000), got ${given}`)
}
