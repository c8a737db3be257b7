/** A bare number below it is no moment that anybody means: as seconds it would be before September 2001. */
const LEAST_EPOCH = 1e9

const CLOCK = String.raw`(\d{1,2}):(\d\d)(?::(\d\d)(\.\d{1,3})?)?`
const TIME_OF_DAY = new RegExp(`^${CLOCK}$`)
const DATE = new RegExp(String.raw`^(\d{4})-(\d\d)-(\d\d)(?:[T ]${CLOCK})?$`)

/** Is it a number that wants a unit? */
export const wantsUnit = (value: string): boolean => /^\d+(?:\.\d+)?$/.test(value) && Number(value) < LEAST_EPOCH

/**
 * A time that says no zone is one of the reader's clock: `9:00`, which is the last time it was nine, `2026-11-21`,
 * `2026-11-21T18:00`. @returns it in ISO 8601 with its zone, as an address that is shared has to say it; what is no such
 * time, as it is.
 */
export function zonedTime(value: string, nowMs: number): string {
  const atMs = timeOfDay(value, nowMs) ?? timeOfDate(value)
  return atMs === null ? value : new Date(atMs).toISOString().replace('.000Z', 'Z')
}

function timeOfDay(value: string, nowMs: number): number | null {
  const found = TIME_OF_DAY.exec(value)
  if (found === null) return null
  const now = new Date(nowMs)
  const onDay = (day: number) => moment([now.getFullYear(), now.getMonth(), day], found.slice(1))
  const today = onDay(now.getDate())
  return today !== null && today > nowMs ? onDay(now.getDate() - 1) : today
}

function timeOfDate(value: string): number | null {
  const [all, year, month, day, ...clock] = DATE.exec(value) ?? []
  if (all === undefined) return null
  const atMs = moment([Number(year), Number(month) - 1, Number(day)], clock)
  if (atMs === null) return null
  // The thirty-first of a shorter month would be another day.
  return new Date(atMs).getMonth() === Number(month) - 1 ? atMs : null
}

function moment(
  [year, month, day]: readonly [number, number, number],
  [hour = '0', minute = '0', second = '0', rest = '0']: readonly (string | undefined)[],
): number | null {
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  return new Date(year, month, day, Number(hour), Number(minute), Number(second), Number(rest) * 1000).getTime()
}
