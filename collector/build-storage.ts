import { performance } from 'node:perf_hooks'
import { createFigures, type FigureCounts } from './api/figures'
import { LiveHub } from './api/live-hub'
import { createReadTurns } from './api/read-turns'
import { type Config, storeSettings } from './config'
import { openIndex, type TelemetryIndex } from './index/index'
import { createFeed, type Feed } from './runtime/feed'
import { type IntakeLoad, watchIntake } from './runtime/intake-load'
import { StoppingError } from './runtime/thread-errors'
import { repeat, shareOfLoop } from './runtime/timers'
import {
  type DeliveryRecord,
  type OpenedSpool,
  openSpool,
  type Spool,
  type SpoolNews,
  type SpoolOptions,
} from './spool/spool'

/** The record, for intake and delivery. */
export interface BuiltRecord {
  readonly spool: DeliveryRecord
  /** The facts of each commit: parts subscribe when they are built. */
  readonly news: Feed<SpoolNews>
  readonly load: IntakeLoad
  /** Writes of the last posts are done. Ends the threads. */
  readonly close: () => Promise<void>
}

/** Record, index, and what follows their facts. */
export interface BuiltStorage extends BuiltRecord {
  readonly spool: Spool
  readonly index: TelemetryIndex
  readonly hub: LiveHub
  /** Counts per minute, since the start or restored. */
  readonly figures: FigureCounts
  readonly readTurns: ReturnType<typeof createReadTurns>['middleware']
  /** Rejects reads that wait for their turn. */
  readonly stopReads: () => void
}

/** Opens both databases. The threads that write load their code at once, and open their files in order. */
export async function buildStorage(config: Config, onDeath: (error: Error) => void): Promise<BuiltStorage> {
  const { folder, isShown } = config
  const { maxDisk: cap, maxAgeMs, sizeLimits } = config.environment
  const monotonic = (): number => performance.now()
  const news = createFeed<SpoolNews>()
  const load = watchIntake({ busyShare: shareOfLoop(), repeat, monotonic })
  const turns = createReadTurns()
  const shared = { folder, takeTurn: turns.takeTurn, now: Date.now, onDeath }
  const opening = openRecord(config, { ...shared, cap, maxAgeMs, isShown, news, monotonic })
  const indexing = openIndex({
    ...shared,
    after: opening,
    sizeLimits,
    intake: load.cell,
    onBatch: async ({ upTo, undigested, traces }) => {
      for (const { seq, reason } of undigested) console.error(`submission ${seq} stays undigested: ${reason}`)
      const opened = await opening
      // On failure only the live stream misses a fact, and the next one covers it.
      await opened
        .noteDigested(upTo, traces)
        .catch((error: Error) => console.error(`digested up to ${upTo}: ${error.message}`))
    },
    onSpoolDamaged: async () => (await opening).noteDamage(),
    log: console.error,
  })
  const opened = await opening
  const index = await indexing.catch(async (error: unknown) => {
    load.stop()
    await opened.close()
    throw error
  })
  const spool = opened.withIndex(index)
  const hub = new LiveHub(await spool.head())
  const { figures, restore } = renewedFigures()
  news.subscribe(({ facts, totals, received = [], isReset, isFilled }) => {
    if (isReset) restore(null, 0)
    for (const record of received) figures.noteReceived(record)
    figures.noteNews({ facts, totals }, Date.now())
    hub.publish(facts)
    if (facts.some(({ kind }) => kind === 'received')) index.wake()
    if (isFilled) restore(spool, hub.head)
  })
  restore(spool, hub.head)
  return {
    spool,
    index,
    news,
    hub,
    figures,
    load,
    readTurns: turns.middleware,
    stopReads: turns.close,
    close: async () => {
      load.stop()
      await spool.stopEvicting()
      await index.close()
      await spool.close()
    },
  }
}

/** The record of the data folder, or the shared one that the environment names. The code of the latter is loaded for it alone. */
async function openRecord(config: Config, options: SpoolOptions): Promise<OpenedSpool> {
  const store = storeSettings(config)
  if (store === null) return openSpool(options)
  const { openPostgresSpool } = await import('./spool-postgres/postgres-spool')
  return openPostgresSpool(options, store)
}

/** Figures that can be counted again, from a record that has become another one, or has more. */
function renewedFigures() {
  let counts = createFigures()
  const figures: FigureCounts = {
    noteReceived: (record) => counts.noteReceived(record),
    noteNews: (news, atMs) => counts.noteNews(news, atMs),
    restore: (...given) => counts.restore(...given),
    read: (...given) => counts.read(...given),
  }
  /** @param record `null`: nothing is on record @param upTo number of its newest fact that is no news */
  const restore = (record: Pick<Spool, 'recent'> | null, upTo: number): void => {
    counts = createFigures()
    if (record === null) return
    // Not awaited: the collector listens meanwhile.
    void counts.restore(record, upTo, Date.now()).catch((error: Error) => {
      if (!(error instanceof StoppingError)) console.error(`the figures count from now on: ${error.message}`)
    })
  }
  return { figures, restore }
}
