const HEX32 = /^[0-9a-f]{32}$/
const HEX16 = /^[0-9a-f]{16}$/

/** Reads a trace or event id, with or without dashes, as 32 lower-case hex digits; `null` when it is invalid. */
export function hex32(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (HEX32.test(value)) return value
  const bare = value.replaceAll('-', '').toLowerCase()
  return HEX32.test(bare) ? bare : null
}

/** Reads a span id as 16 lower-case hex digits; `null` when it is invalid. */
export function hex16(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (HEX16.test(value)) return value
  const bare = value.toLowerCase()
  return HEX16.test(bare) ? bare : null
}

/** The same each time the record is digested: 28 hex digits of the submission, 4 of the item. */
export const positionalEventId = (seq: number, item: number): string =>
  `${seq.toString(16).padStart(28, '0')}${item.toString(16).padStart(4, '0').slice(-4)}`
