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
