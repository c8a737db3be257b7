import type { ReadLimits } from '../../lib/items/signal'
import { startThread } from '../thread-call'
import type { Batch } from './digest-batch'

/** What the thread tells: a batch that is there, or why none can be. */
export type DigestNews = { readonly batch: Batch } | { readonly stuck: string }

/** The digester as the main thread knows it: told that the spool grew, it tells how far the rows go. */
export interface Digester {
  readonly wake: () => void
  /** Why rows cannot be written just now; it goes on by itself. `null` when all is well. */
  readonly stuck: () => string | null
  readonly close: () => Promise<void>
}

/** Starts the digest in a thread of its own; it goes on where its cursor stands. */
export async function startDigester(options: {
  readonly folder: string
  readonly limits: ReadLimits
  readonly onBatch: (batch: Batch & { readonly upTo: number }) => void
  readonly onDeath: (error: Error) => void
}): Promise<Digester> {
  let stuck: string | null = null
  const thread = startThread({
    entry: new URL('./digest-thread.js', import.meta.url),
    data: { folder: options.folder, limits: options.limits },
    onNews: (news) => {
      const told = news as DigestNews
      stuck = 'stuck' in told ? told.stuck : null
      if ('stuck' in told || told.batch.upTo === null) return
      options.onBatch({ ...told.batch, upTo: told.batch.upTo })
    },
    onDeath: options.onDeath,
  })
  await thread.call('ready')
  // A call that fails means a thread that dies, and that is told through `onDeath`.
  const wake = (): void => void thread.call('wake').catch(options.onDeath)
  wake()
  return { wake, stuck: () => stuck, close: () => thread.stop() }
}
