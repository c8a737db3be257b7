import { startThread } from '../thread-call'
import type { Batch } from './digest-batch'

/** The digester as the main thread knows it: told that the spool grew, it tells how far the rows go. */
export interface Digester {
  readonly wake: () => void
  /** Last submission whose rows are there. */
  readonly upTo: () => number
  readonly close: () => Promise<void>
}

/** Starts the digest in a thread of its own; it goes on where its cursor stands. */
export async function startDigester(options: {
  readonly folder: string
  readonly onBatch: (batch: Batch & { readonly upTo: number }) => void
  readonly onDeath: (error: Error) => void
}): Promise<Digester> {
  let upTo = 0
  const thread = startThread({
    entry: new URL('./digest-thread.js', import.meta.url),
    data: { folder: options.folder },
    onNews: (news) => {
      const batch = news as Batch & { upTo: number }
      upTo = batch.upTo
      options.onBatch(batch)
    },
    onDeath: options.onDeath,
  })
  upTo = await thread.call<number>('ready')
  // A call that fails means a thread that dies, and that is told through `onDeath`.
  const wake = (): void => void thread.call('wake').catch(options.onDeath)
  wake()
  return { wake, upTo: () => upTo, close: () => thread.stop() }
}
