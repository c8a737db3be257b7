declare const unit: unique symbol
/** µs since the epoch, as a type that cannot be mixed with seconds or milliseconds by accident. */
export type EpochUs = number & { readonly [unit]: 'µs since the epoch' }

const epochUs = (value: number): EpochUs => Math.round(value) as EpochUs

/** From the float seconds of SDKs; whole microseconds stay below 2^53 until the year 2255. */
const usFromSeconds = (seconds: number): EpochUs => epochUs(seconds * 1e6)

/** Reads a timestamp: float seconds or RFC 3339. `null` when it is neither, or out of range for whole microseconds. */
export function usFromTimestamp(value: unknown): EpochUs | null {
  if (typeof value === 'number') return countable(usFromSeconds(value))
  if (typeof value !== 'string') return null
  if (/^-?\d+(\.\d+)?$/.test(value)) return countable(usFromSeconds(Number(value)))
  const parts = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([zZ]|[+-]\d\d:?\d\d)?)?$/.exec(value)
  if (parts === null) return null
  // Old Python and Ruby SDKs omit the time zone and mean UTC.
  const [, date, time = '00:00:00', fraction = '', zone = 'Z'] = parts
  const parsed = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  // A Date has milliseconds only, and spans of the Python SDK are often shorter than one.
  return Number.isNaN(parsed) ? null : epochUs(parsed * 1000 + Number(`0.${fraction}0`) * 1e6)
}

const countable = (us: EpochUs): EpochUs | null => (Number.isSafeInteger(us) ? us : null)

export interface SpanEnd {
  readonly endUs: EpochUs
  /** No end was sent: the span had not ended. */
  readonly isOpen?: true
}

/** The end of a span; its start when none was sent. */
export function endOf(value: unknown, startUs: EpochUs): SpanEnd {
  const endUs = usFromTimestamp(value)
  return endUs === null ? { endUs: startUs, isOpen: true } : { endUs }
}
