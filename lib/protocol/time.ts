/** Units are types: seconds from an SDK and milliseconds for a screen cannot be added by accident. */
declare const unit: unique symbol
export type EpochMs = number & { readonly [unit]: 'ms since the epoch' }
export type EpochUs = number & { readonly [unit]: 'µs since the epoch' }
export type DurationUs = number & { readonly [unit]: 'µs' }

export const epochMs = (value: number): EpochMs => value as EpochMs
export const epochUs = (value: number): EpochUs => Math.round(value) as EpochUs
export const durationUs = (value: number): DurationUs => Math.max(0, Math.round(value)) as DurationUs

/** An SDK's float seconds; whole microseconds stay below 2^53 until the year 2255. */
export const usFromSeconds = (seconds: number): EpochUs => epochUs(seconds * 1e6)

/** SDKs write timestamps as float seconds or as RFC 3339; `null` when it is neither. */
export function usFromTimestamp(value: unknown): EpochUs | null {
  if (typeof value === 'number' && Number.isFinite(value)) return usFromSeconds(value)
  if (typeof value !== 'string' || value === '') return null
  const asNumber = Number(value)
  if (Number.isFinite(asNumber)) return usFromSeconds(asNumber)
  // Old Python and Ruby SDKs leave the zone out and mean UTC.
  const parsed = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(value) ? value : `${value}Z`)
  return Number.isNaN(parsed) ? null : epochUs(parsed * 1000)
}
