const HEX32 = /^[0-9a-f]{32}$/
const HEX16 = /^[0-9a-f]{16}$/

/** 32 lower-case hex digits from a trace or event id, with or without dashes; `null` when it is not one. */
export function hex32(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (HEX32.test(value)) return value
  const bare = value.replaceAll('-', '').toLowerCase()
  return HEX32.test(bare) ? bare : null
}

/** 16 lower-case hex digits of a span id; `null` when it is not one. */
export function hex16(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (HEX16.test(value)) return value
  const bare = value.toLowerCase()
  return HEX16.test(bare) ? bare : null
}

/**
 * The id of an event that has none: Relay makes one up at its endpoint, and ours must be the same whenever the record is
 * digested, so it is the event's place. 28 hex digits of the submission, 4 of the item.
 */
export const eventIdOfPlace = (seq: number, item: number): string =>
  `${seq.toString(16).padStart(28, '0')}${item.toString(16).padStart(4, '0').slice(-4)}`
