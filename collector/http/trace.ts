import type { Context } from 'hono'
import type { Reader } from '../index/reader'
import { problem } from './refusal'

export type TraceReader = Pick<Reader, 'openTrace' | 'nextOfTrace' | 'closeTrace'>

/** What `spans` may be. */
export const SPANS_OF_TRACE = { least: 1, most: 100_000, otherwise: 100_000 } as const

/**
 * Answers a trace as one JSON document, piece by piece as it is read, and no faster than it is taken.
 * @returns `null` where no such trace is kept.
 */
export async function answerTrace(
  c: Context,
  reader: TraceReader,
  traceId: string,
  most: number,
): Promise<Response | null> {
  const first = await reader.openTrace(traceId, most)
  if (first === null) return null
  if (first === 'busy')
    return problem(c, { status: 503, detail: 'too many traces are being read at once; ask again in a moment' })
  c.header('Content-Type', 'application/json')
  if (first.reading === null) return c.body(first.bytes as Uint8Array<ArrayBuffer>)
  // Nobody takes the body of an answer to HEAD.
  if (c.req.raw.method === 'HEAD') {
    await reader.closeTrace(first.reading)
    return c.body(null)
  }
  return c.body(piecesOf(first.bytes, first.reading, reader))
}

function piecesOf(first: Uint8Array, number: number, reader: TraceReader): ReadableStream<Uint8Array> {
  let isGone = false
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first),
    pull: async (controller) => {
      // While all of it is put in order there is nothing to give yet, and only what was given is asked for again.
      for (let given = 0; given === 0 && !isGone; ) {
        const { bytes, reading } = await reader.nextOfTrace(number)
        if (isGone) return
        given = bytes.length
        if (given > 0) controller.enqueue(bytes)
        if (reading === null) return controller.close()
      }
    },
    cancel: () => {
      isGone = true
      return reader.closeTrace(number)
    },
  })
}
