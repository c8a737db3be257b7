import type { Reader } from './reader'

/** Holds the readers back while the file that they read is exchanged. */
export interface ReaderPause {
  /** Who they are: all, or an exchange would happen under one of them. */
  readonly started: (readers: readonly Reader[]) => void
  /** Runs it while none of them reads, and none has the file open. Before they are started it waits for that. */
  readonly without: (exchange: () => Promise<void>) => Promise<void>
}

export function createReaderPause(): ReaderPause {
  let started: (readers: readonly Reader[]) => void = () => undefined
  const all = new Promise<readonly Reader[]>((resolve) => {
    started = resolve
  })
  return {
    started: (readers) => started(readers),
    without: async (exchange) => {
      const readers = await all
      await Promise.all(readers.map((one) => one.pause()))
      await exchange()
      await Promise.all(readers.map((one) => one.resume()))
    },
  }
}
