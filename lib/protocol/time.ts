declare const unit: unique symbol
/** A unit that is a type: seconds from an SDK and milliseconds for a screen cannot be added to it by accident. */
export type EpochUs = number & { readonly [unit]: 'µs since the epoch' }

const epochUs = (value: number): EpochUs => Math.round(value) as EpochUs

/** An SDK's float seconds; whole microseconds stay below 2^53 until the year 2255. */
const usFromSeconds = (seconds: number): EpochUs => epochUs(seconds * 1e6)

/**
 * SDKs write timestamps as float seconds or as RFC 3339; `null` when it is neither, or further away than whole
 * microseconds can say.
 */
export function usFromTimestamp(value: unknown): EpochUs | null {
  if (typeof value === 'number') return countable(usFromSeconds(value))
  if (typeof value !== 'string') return null
  if (/^-?\d+(\.\d+)?$/.test(value)) return countable(usFromSeconds(Number(value)))
  const parts = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([zZ]|[+-]\d\d:?\d\d)?)?$/.exec(value)
  if (parts === null) return null
  // Old Python and Ruby SDKs leave the zone out and mean UTC.
  const [, date, time = '00:00:00', fraction = '', zone = 'Z'] = parts
  const parsed = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  // A Date ends at milliseconds, and a span of Python's SDK is often shorter than one.
  return Number.isNaN(parsed) ? null : epochUs(parsed * 1000 + Number(`0.${fraction}0`) * 1e6)
}

const countable = (us: EpochUs): EpochUs | null => (Number.isSafeInteger(us) ? us : null)
