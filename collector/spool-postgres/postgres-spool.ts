import { storePlace } from '../../lib/protocol/store-place'
import { startTimer } from '../../lib/time'
import type { Reach } from '../../lib/wire/reach'
import type { StoreCounts } from '../../lib/wire/store'
import { startThread, withCalls } from '../runtime/thread-call'
import { deleteVisitor } from '../spool/disk/delete-visitor'
import { clearRecords } from '../spool/disk/eviction'
import type { StorageReport } from '../spool/disk/storage'
import { openLocalRecord } from '../spool/local-record'
import type { ReadMethods } from '../spool/read/read-methods'
import type { OpenedSpool, Spool, SpoolOptions, SpoolReads } from '../spool/spool'
import type { MirrorNews } from './follow/mirror-follower'
import type { MirrorThreadCalls } from './mirror-thread'
import { type StoreSettings, sharedRecord, startStore, type Unwrapped, unlessAway } from './postgres-record'
import { createStoreReport, withStore } from './store-report'

/** At least this long between two writes that make the mirror read at once. Under load it then reads fewer, larger pages. */
const WAKE_MS = 50

/**
 * Opens a record that several collectors share in PostgreSQL. A mirror of it in `spool.db` answers queries: losing that
 * file loses nothing. While PostgreSQL is away the mirror is read, and writes reject with StoreAwayError.
 * @throws UnfitStoreError
 */
export async function openPostgresSpool(options: SpoolOptions, store: StoreSettings): Promise<OpenedSpool> {
  const { folder, cap, news, onDeath } = options
  const { thread: storing, calls: shared, isOpen, tried } = startStore(store, { isFollowed: false, onDeath })
  /** Number of the newest fact of the mirror; `null` until it is read. */
  let mirrored: number | null = null
  let reach: MirrorNews['reach'] = null
  let react: (news: MirrorNews) => void = () => undefined
  const mirroring = startThread({
    entry: new URL('./mirror-thread.js', import.meta.url),
    data: { folder, cap, url: store.url, storeIsOpen: isOpen },
    after: tried,
    onNews: (message) => {
      const published = message as MirrorNews
      reach = published.reach
      mirrored = published.facts.at(-1)?.n ?? mirrored
      react(published)
      news.publish(published)
    },
    onDeath,
  })
  const append = (): Promise<never> => Promise.reject(new TypeError('a mirror takes no submissions'))
  const mirror = withCalls<Unwrapped<MirrorThreadCalls>, { append: typeof append }>({ append }, (method, args) =>
    mirroring.call(method, ...args),
  )
  const ready = tried.then(() => mirror.ready())
  const local = openLocalRecord(options, mirror, ready)
  const close = async (): Promise<void> => {
    await local.stopReading()
    await mirroring.stop()
    await storing.stop()
  }
  try {
    await ready
  } catch (error) {
    await Promise.all([mirroring.kill('the store did not open'), storing.kill('the store did not open')])
    throw error
  }
  /** The first of several writes is on the boards at once, and not only at the next poll. */
  let hasWoken = false
  const wake = <Value>(written: Value): Value => {
    if (!hasWoken) {
      hasWoken = true
      startTimer(() => {
        hasWoken = false
      }, WAKE_MS)
      void mirror.wake()
    }
    return written
  }
  /** Boards show what the mirror has while the store is away. */
  const orMirror = <Value>(method: string, args: readonly unknown[]): ((error: Error) => Promise<Value>) =>
    unlessAway(() => local.read(method, args) as Promise<Value>)
  /** Reads on which deliveries and other collectors depend; all others are of the mirror. */
  const sharedReads: Partial<SpoolReads> = {
    pending: shared.pending,
    record: shared.record,
    countPending: (...key) => shared.countPending(...key).catch(orMirror('countPending', key)),
    stranded: (...given) => shared.stranded(...given).catch(orMirror('stranded', given)),
    deadSeqs: shared.deadSeqs,
    deadItems: shared.deadItems,
    unreported: shared.unreported,
    limits: () => shared.limits().catch(orMirror('limits', [])),
    setting: (given) => shared.setting(given).catch(orMirror('setting', [given])),
    settings: (prefix) => shared.settings(prefix).catch(orMirror('settings', [prefix])),
  }
  return {
    noteDigested: mirror.noteDigested,
    noteDamage: local.noteDamage,
    close,
    withIndex: (rows) => {
      const { keeper, storage } = local.keepBelowCap(rows)
      react = ({ deleted, older = [], isLost }) => {
        if (deleted !== undefined) rows.erase(deleted).then(mirror.rowsErased).catch(onDeath)
        if (older.length > 0) rows.digestOlder(older).then(mirror.olderDigested).catch(onDeath)
        if (isLost) rows.replaceRecord(mirror.empty).catch(onDeath)
      }
      mirror.follow().catch(onDeath)
      const erasable = {
        settledRecords: shared.settledRecords,
        deadLetterRecords: shared.deadLetterRecords,
        pendingRecords: shared.pendingRecords,
        visitorRecords: shared.visitorRecords,
        addVisitorDeletion: shared.addVisitorDeletion,
        noteCleared: shared.noteCleared,
        usage: async () => ({ newest: await shared.head() }),
        clear: (seqs: readonly number[]) => shared.erase(seqs, 'cleared'),
        clearVisitor: async (seqs: readonly number[]) => {
          const posted = await shared.countPosted(seqs)
          return { posted, dropped: await shared.erase(seqs, 'visitor') }
        },
      }
      /** The mirror follows over a connection of its own thread. */
      const counts = async (): Promise<StoreCounts> => {
        const [{ connections, ...rest }, following] = await Promise.all([shared.counts(), mirror.connectionCounts()])
        return { ...rest, connections: { ...connections, following } }
      }
      const describe = createStoreReport({
        place: storePlace(store.url),
        store: { usage: shared.usage, position: shared.position, counts },
        mirrored: async () => {
          mirrored ??= (await local.read('head', [])) as number
          return mirrored
        },
        now: options.now,
        monotonic: options.monotonic,
      })
      // The rows of this collector are erased when the fact arrives, as those of the others.
      const later = { erase: async () => undefined }
      return withCalls<ReadMethods, Omit<Spool, keyof SpoolReads>>(
        {
          ...sharedReads,
          append: async (submission) => wake(await shared.append(submission)),
          addUnseenAnswer: shared.addUnseenAnswer,
          countRefusal: shared.countRefusal,
          countPages: shared.countPages,
          recordAttempt: async (...given) => wake(await shared.recordAttempt(...given)),
          decideWithoutAttempt: async (...given) => wake(await shared.decideWithoutAttempt(...given)),
          storeLimits: shared.storeLimits,
          // Ends of limits are those of the store.
          correctLimits: async () => undefined,
          requeueDeadLetters: async (seqs) => wake(await shared.requeueDeadLetters(seqs)),
          dropDeadLetters: async (seqs) => wake(await shared.dropDeadLetters(seqs)),
          subtractReported: shared.subtractReported,
          saveSetting: shared.saveSetting,
          noteChanged: shared.noteChanged,
          clear: (cleared) => clearRecords({ spool: erasable, rows: later }, cleared),
          deleteVisitor: (...deleted) => deleteVisitor({ spool: erasable, rows: later }, ...deleted),
          storage: withReach(withStore(storage, describe), () => reach),
          probe: shared.probe,
          stopEvicting: () => keeper.stop(),
          close,
          shared: sharedRecord(shared, { describe, reach: () => reach, written: wake }),
        },
        (method, args) => options.takeTurn(() => local.read(method, args)),
      )
    },
  }
}

/** Adds how far back the mirror reaches. If older records do not fit, the oldest ones leave for new ones. */
function withReach(storage: () => Promise<StorageReport>, read: () => Reach | null): () => Promise<StorageReport> {
  return async () => {
    const report = await storage()
    const reach = read()
    if (reach === null) return report
    const since = reach.state === 'full' ? Math.max(reach.since, report.status.oldest ?? 0) : reach.since
    return { ...report, status: { ...report.status, reach: { ...reach, since } } }
  }
}
