import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { readContentEncoding } from '../../lib/protocol/body'

/** What a person sees of an answer, in signs. */
const SHOWN_ANSWER = 4096
/** So many bytes make so many signs, whatever they are; a bomb is inflated this far and no further. */
const SHOWN_BYTES = SHOWN_ANSWER * 4

const DECODERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

/**
 * The words of an answer, cut at 4 KiB: undone from what they are compressed with, for upstream may use gzip unasked.
 * @param bytes the beginning of its body.
 * @param encoding its Content-Encoding. What cannot be undone is named in brackets instead.
 */
export async function answerText(bytes: Uint8Array, encoding: string | null): Promise<string> {
  const coding = readContentEncoding(encoding)
  if (bytes.length === 0 || (coding.ok && coding.value === null)) return shown(bytes)
  if (!coding.ok || coding.value === null || coding.value === 'zstd')
    return `[${bytes.length} bytes with Content-Encoding ${encoding?.slice(0, 64)}]`
  const beginning = await beginningOf(DECODERS[coding.value](), bytes)
  return beginning === null
    ? `[${bytes.length} bytes that are not the ${coding.value} they are said to be]`
    : shown(beginning)
}

const shown = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SHOWN_BYTES))
    .toString('utf8')
    .slice(0, SHOWN_ANSWER)

/** Decodes until there is enough to show, also of bytes that are cut; `null` where nothing can be decoded. */
function beginningOf(decoder: ReturnType<typeof createGunzip | typeof createBrotliDecompress>, bytes: Uint8Array) {
  return new Promise<Uint8Array | null>((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (): void => {
      resolve(size === 0 ? null : Buffer.concat(chunks))
      decoder.destroy()
    }
    decoder.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size >= SHOWN_BYTES) finish()
    })
    decoder.on('end', () => {
      resolve(Buffer.concat(chunks))
    })
    // Cut, or broken further on: what came before it are its words all the same.
    decoder.on('error', finish)
    decoder.end(bytes)
  })
}
