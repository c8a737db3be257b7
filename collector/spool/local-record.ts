import type { Feed } from '../runtime/feed'
import { SpoolDamagedError } from '../runtime/sqlite-errors'
import { startThread } from '../runtime/thread-call'
import { DiskBudgetKeeper } from './disk/budget-keeper'
import { capOfAppends } from './disk/disk-budget'
import { createStorageReport, type IndexedRows, type StorageReport } from './disk/storage'
import type { SpoolNews } from './journal'

export interface LocalRecordOptions {
  readonly folder: string
  /** Bytes of record and rows together. */
  readonly cap: number
  /** Settled records are deleted after this time, and pending ones expire no earlier; `null`: 24 h for pending ones. */
  readonly maxAgeMs: number | null
  /** `waystation show`: nothing of it may disappear, so nothing is evicted. */
  readonly isShown: boolean
  /** Publishes the facts of each commit. */
  readonly news: Feed<SpoolNews>
  readonly now: () => number
  readonly monotonic: () => number
  readonly onDeath: (error: Error) => void
}

/** The thread that writes the file, as its disk budget needs it. */
type FileWriter = ConstructorParameters<typeof DiskBudgetKeeper>[0]['spool']

/** The parts around spool.db that are the same for a record and for a mirror of a shared one. */
interface LocalRecord {
  /** Calls a method of the thread that reads the file. */
  readonly read: (method: string, args: readonly unknown[]) => Promise<unknown>
  /** A query of another thread met a damaged page of the record. */
  readonly noteDamage: () => void
  /** Keeps record and rows below the cap. @param rows of the records, which are erased before their record */
  readonly keepBelowCap: (rows: IndexedRows) => {
    readonly keeper: DiskBudgetKeeper
    readonly storage: () => Promise<StorageReport>
  }
  readonly stopReading: () => Promise<void>
}

/** @param writer of the file; @param migrated the thread that reads waits for it */
export function openLocalRecord(
  options: LocalRecordOptions,
  writer: FileWriter,
  migrated: Promise<unknown>,
): LocalRecord {
  const { folder, cap, maxAgeMs, news, now, monotonic, onDeath } = options
  const reading = startThread({
    entry: new URL('./spool-reader-thread.js', import.meta.url),
    data: { folder },
    after: migrated,
    onDeath,
  })
  let isDamaged = false
  const noteDamage = (): void => {
    isDamaged = true
  }
  return {
    noteDamage,
    stopReading: reading.stop,
    read: async (method, args) => {
      try {
        return await reading.call(method, ...args)
      } catch (error) {
        if (error instanceof Error && error.name === SpoolDamagedError.NAME) noteDamage()
        throw error
      }
    },
    keepBelowCap: (rows) => {
      const budget = { cap: capOfAppends(cap), maxAgeMs, now, monotonic, onDeath }
      const keeper = new DiskBudgetKeeper({ spool: writer, rows, ...budget })
      news.subscribe(({ facts, used }) =>
        keeper.spoolGrew(
          used,
          facts.some(({ kind }) => ALLOWS_EVICTION.has(kind)),
        ),
      )
      if (!options.isShown) keeper.start()
      const isSpoolDamaged = (): boolean => isDamaged
      const storage = createStorageReport({ writer, rows, keeper, cap, maxAgeMs, folder, isSpoolDamaged, now })
      return { keeper, storage }
    },
  }
}

/** Facts after which there may be something to evict again. */
const ALLOWS_EVICTION: ReadonlySet<SpoolNews['facts'][number]['kind']> = new Set([
  'received',
  'decided',
  'delivered',
  'digested',
])
