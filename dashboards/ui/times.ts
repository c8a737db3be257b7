import { formatDurationUs, formatSeconds } from '../../lib/format'

/** The age in one unit, for a column: `now`, `12 s`, `3 min`, `5 h`, `2 d`. */
export function formatAge(atMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - atMs) / 1000)
  if (seconds < 2) return 'now'
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** Local time of day: `14:03:22.118`. */
export function formatClock(atMs: number): string {
  const at = new Date(atMs)
  if (Number.isNaN(at.getTime())) return '–'
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/** A local time for a column: `14:03:22.118`, or `11-20 14:03:22` more than half a day from `nearMs`. */
export function formatShortTime(atMs: number, nearMs: number): string {
  const at = new Date(atMs)
  if (Number.isNaN(at.getTime()) || Math.abs(atMs - nearMs) < 43_200_000) return formatClock(atMs)
  return `${two(at.getMonth() + 1)}-${two(at.getDate())} ${formatClock(atMs).slice(0, 8)}`
}

/** The same to the second: `14:03:22`, `11-20 14:03:22`. */
export const formatShortSecond = (atMs: number, nearMs: number): string =>
  formatShortTime(atMs, nearMs).replace(/\.\d+$/, '')

/** Local date and time with the zone: `2026-11-20 14:03:22.118 +01:00`. */
export function formatDateTime(atMs: number): string {
  const at = new Date(atMs)
  if (Number.isNaN(at.getTime())) return '–'
  const zone = -at.getTimezoneOffset()
  const sign = zone < 0 ? '-' : '+'
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date} ${formatClock(atMs)} ${sign}${two(Math.floor(Math.abs(zone) / 60))}:${two(Math.abs(zone) % 60)}`
}

/** A formatted offset with its sign: `+12.4 ms`, `-3.06 s`. */
export function withSign(formatted: string, us: number): string {
  return us < 0 ? formatted.replace(/^-?/, '-') : `+${formatted}`
}

/** A duration with its sign: `+12.4 ms`, `-3.06 s`. */
export const formatOffset = (us: number): string => withSign(formatDurationUs(us), us)

const two = (value: number): string => String(value).padStart(2, '0')

/** The time left: `12 s`; `null` when it is over. */
export function formatLeft(untilMs: number, nowMs: number): string | null {
  const left = Math.ceil((untilMs - nowMs) / 1000)
  return left <= 0 ? null : formatSeconds(left)
}

/** When something is due: `in 12 s`, `now`. */
export function formatWhen(atMs: number | null, nowMs: number): string {
  const left = atMs === null ? null : formatLeft(atMs, nowMs)
  return left === null ? 'now' : `in ${left}`
}
