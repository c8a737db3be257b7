/** A random UUID. `crypto.randomUUID` is missing in pages that were loaded by plain http from another machine. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  // Version 4 and its variant (RFC 9562, section 5.4).
  const marked = `${hex.slice(0, 12)}4${hex.slice(13, 16)}${'89ab'[(bytes[8] ?? 0) & 3]}${hex.slice(17)}`
  return marked.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
