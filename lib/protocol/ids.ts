/** 32 lower-case hex digits from a trace or event id, with or without dashes; `null` when it is not one. */
export function hex32(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const bare = value.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(bare) ? bare : null
}

/** 16 lower-case hex digits of a span id; `null` when it is not one. */
export function hex16(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const bare = value.toLowerCase()
  return /^[0-9a-f]{16}$/.test(bare) ? bare : null
}

/**
 * The id of an event that has none: Relay makes one up at its door, and ours must be the same whenever the record is
 * digested, so it is the event's place. 28 hex digits of the submission, 4 of the item.
 */
export const eventIdOfPlace = (seq: number, item: number): string =>
  `${seq.toString(16).padStart(28, '0')}${item.toString(16).padStart(4, '0').slice(-4)}`
