const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** "RFC 3339 date-time" (Sentry's envelope specification, "Envelope Headers"); what else may be there stays. */
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/
const LATEST = Date.UTC(9999, 0)
/** A string of JSON, or a sign that opens, closes or divides. No sign is read twice, however the line is made. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g

/**
 * Moves `sent_at` of an envelope's header line forward, and changes nothing else of it.
 * @param line a JSON object, without its newline.
 * @returns the line with the time in its place, or `null` where none is written that could be moved.
 */
export function moveSentAt(line: Uint8Array, byMs: number): Uint8Array | null {
  const text = decoder.decode(line)
  const found = sentAtIn(text)
  if (found === null) return null
  const at = Date.parse(found.value)
  if (Number.isNaN(at) || at + byMs > LATEST) return null
  const moved = JSON.stringify(new Date(at + byMs).toISOString())
  return encoder.encode(text.slice(0, found.start) + moved + text.slice(found.end))
}

/** Where the value stands, with its quotes; of several the last, which is the one that is read. */
function sentAtIn(text: string): { readonly value: string; readonly start: number; readonly end: number } | null {
  let depth = 0
  let key: string | null = null
  let isValue = false
  let found: ReturnType<typeof sentAtIn> = null
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    if (depth !== 1) continue
    if (token === ':') isValue = true
    else if (token === ',' || token === '{') [key, isValue] = [null, false]
    else if (!token.startsWith('"')) continue
    else if (!isValue) key = String(JSON.parse(token))
    else if (key === 'sent_at') {
      const value = String(JSON.parse(token))
      if (RFC_3339.test(value)) found = { value, start: index, end: index + token.length }
    }
  }
  return found
}
