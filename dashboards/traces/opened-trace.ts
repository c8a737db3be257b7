import { hex32 } from '../../lib/protocol/ids'
import type { TraceColumnsOptions, TracePiece } from '../../lib/wire/trace-columns'
import { client } from '../ui/client'
import type { TraceData } from './trace-data'
import { TraceReader } from './trace-reader'

/** Reads the pieces of a trace. */
type ReadPieces = (
  traceId: string,
  options: TraceColumnsOptions,
  signal: AbortSignal | undefined,
) => AsyncIterable<TracePiece>

const fromCollector: ReadPieces = (traceId, options, signal) => client.traceColumns(traceId, options, signal)

/** A trace that is read for a page, which may be shown later. */
export class OpenedTrace {
  readonly reader: TraceReader
  readonly #listeners = new Set<() => void>()
  #trace: TraceData | null | undefined = undefined
  /** The read that began before the page was shown; false when it failed. */
  #ahead: Promise<boolean> | null = null

  constructor(traceId: string, pieces: ReadPieces) {
    this.reader = new TraceReader(traceId, {
      pieces: (options, signal) => pieces(traceId, options, signal),
      show: (trace) => {
        this.#trace = trace
        for (const listener of this.#listeners) listener()
      },
      now: () => performance.now(),
    })
  }

  /** `undefined` until the first spans; `null` when no such trace is recorded yet. */
  readonly current = (): TraceData | null | undefined => this.#trace

  readonly follow = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Begins to read. Resolves with the first spans, and when the read ends without any: the page then says why. */
  readAhead(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const unfollow = this.follow(resolve)
      this.#ahead = this.reader.read(signal).then(
        () => true,
        () => false,
      )
      void this.#ahead.then(() => {
        unfollow()
        resolve()
      })
    })
  }

  /** Reads all, or what came later. The first call waits for the read that began earlier. @throws as the client */
  async read(signal: AbortSignal): Promise<void> {
    const ahead = this.#ahead
    this.#ahead = null
    if (ahead === null || !(await ahead)) await this.reader.read(signal)
  }
}

let ahead: { readonly traceId: string; readonly trace: OpenedTrace; readonly aborter: AbortController } | null = null

/** Begins to read a trace before its page is shown, so that the page begins with rows. Replaces an earlier one that no page took. */
export function readAhead(traceId: string, pieces = fromCollector): Promise<void> {
  ahead?.aborter.abort()
  ahead = null
  if (hex32(traceId) === null) return Promise.resolve()
  const aborter = new AbortController()
  const trace = new OpenedTrace(traceId, pieces)
  ahead = { traceId, trace, aborter }
  return trace.readAhead(aborter.signal)
}

/** The trace that is being read for this page, else a new one. */
export function takeTrace(traceId: string, pieces = fromCollector): OpenedTrace {
  const taken = ahead?.traceId === traceId ? ahead.trace : new OpenedTrace(traceId, pieces)
  ahead = null
  return taken
}
