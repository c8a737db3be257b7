export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function firstOf<Entry>(
  all: readonly Entry[],
  most: number,
): { readonly read: readonly Entry[]; readonly beyond: number } {
  return { read: all.slice(0, most), beyond: Math.max(0, all.length - most) }
}

/** Reads a list field of Sentry: `{ values: [...] }`, a plain list, or a single object of an old SDK. */
export function listOf(value: unknown): readonly JsonObject[] {
  const list = isObject(value) && Array.isArray(value.values) ? value.values : value
  if (Array.isArray(list)) return list.filter(isObject)
  return isObject(list) && !('values' in list) ? [list] : []
}

/** Reads a text field. Old SDKs write other types: numbers and booleans become text, everything else `null`. */
export function text(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

export const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** The value of a text of JSON, or `otherwise` for any other text. */
export function jsonOr<Other>(text: string, otherwise: Other): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return otherwise
    throw error
  }
}
