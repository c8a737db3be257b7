import type { Reach } from './reach'

const HALF_A_DAY_MS = 43_200_000

/** `records since 14:02; older ones are being fetched (40 % are here)`: local time, with its date when that is not near. */
export function reachText({ since, percent, state }: Reach, nowMs: number): string {
  const at = new Date(since)
  const two = (part: number): string => String(part).padStart(2, '0')
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} `
  const time = `${Math.abs(nowMs - since) < HALF_A_DAY_MS ? '' : date}${two(at.getHours())}:${two(at.getMinutes())}`
  return state === 'fetching'
    ? `records since ${time}; older ones are being fetched (${percent} % are here)`
    : `records since ${time}; older ones do not fit the disk budget of this collector (${percent} % are here): raise WAYSTATION_MAX_DISK and start it again`
}
