import { decodeBase64, decodeUtf8 } from '../protocol/text-bytes'
import { FILTERED } from './rules'

/** Scrubs a text that was decoded. */
type ScrubDecoded = (text: string) => string

/** A part of an address or a form between separators. Each is matched once. */
const PIECE = /[^\s&?=#"<>]+/g
const ENCODED = /(?:%[0-9A-Fa-f]{2})+/g
/** Signs that stay as they are where an address has them unencoded. */
const OF_ADDRESSES = ['/', ':', '@', ',', ';', '+', '$', '|', '{', '}', '[', ']']
/** Percent signs may be encoded too, once. */
const MOST_LEVELS = 2

/** Decodes each percent-encoded part and encodes it again where something was removed. `[Filtered]` stays readable. */
export function scrubPercentEncoded(text: string, scrub: ScrubDecoded, level = 1): string {
  // One after the other: `replace` would keep all pieces, which takes twenty times the memory of the text.
  const pieces = new RegExp(PIECE)
  let out = ''
  let kept = 0
  for (let found = pieces.exec(text); found !== null; found = pieces.exec(text)) {
    const scrubbed = scrubPiece(found[0], scrub, level)
    if (scrubbed === found[0]) continue
    out += text.slice(kept, found.index) + scrubbed
    kept = pieces.lastIndex
  }
  return kept === 0 ? text : out + text.slice(kept)
}

function scrubPiece(piece: string, scrub: ScrubDecoded, level: number): string {
  const decoded = decodePercents(piece)
  if (decoded === piece) return piece
  const once = scrub(decoded)
  const scrubbed = level < MOST_LEVELS ? scrubPercentEncoded(once, scrub, level + 1) : once
  return scrubbed === decoded ? piece : encodedLike(piece, scrubbed)
}

/** Decodes what is UTF-8, and leaves the rest. `decodeURIComponent` would throw, which takes 30 times as long. */
export const decodePercents = (text: string): string => (text.includes('%') ? text.replace(ENCODED, decodedRun) : text)

/** Returns the run itself if its bytes are no UTF-8. */
function decodedRun(run: string): string {
  const bytes = new Uint8Array(run.length / 3)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(run.slice(3 * at + 1, 3 * at + 3), 16)
  const text = decodeUtf8(bytes)
  return text.includes('\ufffd') ? run : text
}

function encodedLike(piece: string, decoded: string): string {
  let out = encodeURIComponent(decoded.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
  for (const sign of OF_ADDRESSES) {
    const encoded = `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
    if (piece.includes(sign) && !piece.toUpperCase().includes(encoded)) out = out.replaceAll(encoded, sign)
  }
  return out.replaceAll(encodeURIComponent(FILTERED), FILTERED)
}

/** Longer ones are files, such as a source map or an image. */
const LONGEST_BASE64 = 4096
const BASE64 = /(?<![\w+/-])[A-Za-z0-9+/_-]{16,}={0,2}/g
/** Random bytes are hardly ever so many printable ones. */
const SHORTEST_PRINTABLE = 12
const PRINTABLE = /^[\x20-\x7e\t\r\n]+$/

/** Removes base64 of a text in which something is secret, as `Basic` and Kubernetes secrets have it. */
export function scrubBase64(text: string, scrub: ScrubDecoded): string {
  if (text.length < 16) return text
  return text.replace(BASE64, (base64) => {
    if (base64.length > LONGEST_BASE64) return base64
    const begin = decodeBase64(base64.slice(0, 16))
    if (begin.length < SHORTEST_PRINTABLE || !PRINTABLE.test(begin)) return base64
    const decoded = decodeBase64(base64)
    return PRINTABLE.test(decoded) && scrub(decoded) !== decoded ? FILTERED : base64
  })
}
