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
