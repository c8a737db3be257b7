import { decodeString, walkStrings } from './json-strings'

/**
 * An item's header line whose `length` says another number; every other byte of it stays. A `length` that is there twice
 * is so at both places, for readers differ in which they take.
 */
export function withLength(line: Uint8Array, length: number): Uint8Array {
  // One character a byte: offsets are those of the bytes.
  const json = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('latin1')
  const places: { start: number; end: number }[] = []
  let depth = 0
  walkStrings(line, {
    open: () => {
      depth += 1
    },
    close: () => {
      depth -= 1
    },
    comma: () => undefined,
    text: () => undefined,
    name: (start, end) => {
      if (depth !== 1 || decodeString(line, start, end) !== 'length') return
      NUMBER.lastIndex = end + 1
      const found = NUMBER.exec(json)
      if (found === null) return
      places.push({ start: NUMBER.lastIndex - (found[1] ?? '').length, end: NUMBER.lastIndex })
    },
  })
  let out = ''
  let kept = 0
  for (const { start, end } of places) {
    out += json.slice(kept, start) + String(length)
    kept = end
  }
  return Buffer.from(out + json.slice(kept), 'latin1')
}

/** Behind the name's closing quote. */
const NUMBER = /[ \t\r]*:[ \t\r]*(-?\d[\d.eE+-]*)/y
