import { COUNTS, type Limits } from '../../lib/protocol/limits'

/**
 * What a limit is here, and where it is set: stands behind the protocol's own words.
 * @param size what was seen, in the limit's unit; `null` where it was not read to its end
 */
export function limitWords(limits: Limits, name: keyof Limits, size: number | null = null): string {
  const unit = COUNTS.has(name) ? '' : ' bytes'
  const seen = size === null ? '' : `${size}${unit}; `
  return `(${seen}at most ${limits[name]}${unit} here: ${name} in WAYSTATION_LIMITS)`
}
