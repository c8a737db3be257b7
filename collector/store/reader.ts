import type { ReadLimits } from '../../lib/items/signal'
import { startThread } from '../thread-call'
import type { ReaderMethods } from './reader-thread'

/** The reads, as promises: each runs in a reader thread, so that nothing a person looks at delays an answer to an SDK. */
export type Reader = {
  readonly [Name in keyof Omit<ReaderMethods, 'ready'>]: (
    ...args: Parameters<ReaderMethods[Name]>
  ) => Promise<ReturnType<ReaderMethods[Name]>>
} & { readonly close: () => Promise<void> }

const NAMES = [
  'traces',
  'trace',
  'events',
  'event',
  'breadcrumbs',
  'signals',
  'signal',
  'signalsOfTrace',
  'signalCounts',
  'envelopes',
  'envelope',
  'record',
  'deliveries',
  'delivery',
  'journal',
  'head',
  'items',
  'totals',
  'limits',
  'setting',
  'owed',
  'countOwed',
] as const satisfies readonly (keyof Omit<ReaderMethods, 'ready'>)[]

/** Starts a reader in a thread of its own. */
export async function startReader(options: {
  readonly folder: string
  /** How much of an event is read: as much as the digest read. */
  readonly limits: ReadLimits
  readonly onDeath: (error: Error) => void
}): Promise<Reader> {
  const thread = startThread({
    entry: new URL('./reader-thread.js', import.meta.url),
    data: { folder: options.folder, limits: options.limits },
    onDeath: options.onDeath,
  })
  await thread.call('ready')
  const calls = Object.fromEntries(
    NAMES.map((name) => [name, (...args: readonly unknown[]) => thread.call(name, ...args)]),
  ) as Omit<Reader, 'close'>
  return { ...calls, close: () => thread.stop() }
}
