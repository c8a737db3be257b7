/** 1 s, growing by half to a minute, each shortened by up to a fifth so that relays do not knock in step. */
export const FIRST_WAIT_MS = 1000
export const LONGEST_WAIT_MS = 60_000
const GROWTH = 1.5

/**
 * How long to wait after the n-th failure in a row (1 for the first).
 * @param random 0 to 1.
 */
export function waitAfter(failures: number, random: number): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * GROWTH ** (failures - 1))
  return Math.round(wait * (1 - random * 0.2))
}
