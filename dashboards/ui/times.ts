import { formatSeconds } from '../../lib/format'

/** How long ago, in one unit, for a column: `now`, `12 s`, `3 min`, `5 h`, `2 d`. */
export function formatAge(atMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - atMs) / 1000)
  if (seconds < 2) return 'now'
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** Wall-clock time where the reader is, to the millisecond: `14:03:22.118`. */
export function formatClock(atMs: number): string {
  const at = new Date(atMs)
  if (Number.isNaN(at.getTime())) return '–'
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/**
 * A moment for a column: the time of day, with the date before it where it is further from `nearMs` than half a day, so
 * that the reader would take it for another: `14:03:22.118`, `11-20 14:03:22`.
 */
export function formatShortTime(atMs: number, nearMs: number): string {
  const at = new Date(atMs)
  if (Number.isNaN(at.getTime()) || Math.abs(atMs - nearMs) < 43_200_000) return formatClock(atMs)
  return `${two(at.getMonth() + 1)}-${two(at.getDate())} ${formatClock(atMs).slice(0, 8)}`
}

/** The same to the second: `14:03:22`, `11-20 14:03:22`. */
export const formatShortSecond = (atMs: number, nearMs: number): string =>
  formatShortTime(atMs, nearMs).replace(/\.\d+$/, '')

/** Date and time where the reader is, with the zone: `2026-11-20 14:03:22.118 +01:00`. */
export function formatDateTime(atMs: number): string {
  const at = new Date(atMs)
  if (Number.isNaN(at.getTime())) return '–'
  const zone = -at.getTimezoneOffset()
  const sign = zone < 0 ? '-' : '+'
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date} ${formatClock(atMs)} ${sign}${two(Math.floor(Math.abs(zone) / 60))}:${two(Math.abs(zone) % 60)}`
}

/** A distance on the time axis with its sign: `+12.4 ms`, `-3.06 s`. */
export function withSign(formatted: string, us: number): string {
  return us < 0 ? formatted.replace(/^-?/, '-') : `+${formatted}`
}

const two = (value: number): string => String(value).padStart(2, '0')

/** What is left until a moment, counting down and never below nothing: `12 s`; `null` once it has come. */
export function formatLeft(untilMs: number, nowMs: number): string | null {
  const left = Math.ceil((untilMs - nowMs) / 1000)
  return left <= 0 ? null : formatSeconds(left)
}

/** When something that was planned happens: `in 12 s`, `now`. */
export function formatWhen(atMs: number | null, nowMs: number): string {
  const left = atMs === null ? null : formatLeft(atMs, nowMs)
  return left === null ? 'now' : `in ${left}`
}
