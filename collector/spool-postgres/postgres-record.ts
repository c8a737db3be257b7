import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { storePlace } from '../../lib/protocol/store-place'
import type { Storage } from '../../lib/wire/storage'
import type { Store } from '../../lib/wire/store'
import type { Feed } from '../runtime/feed'
import { startThread, type ThreadHandle, withCalls } from '../runtime/thread-call'
import type { SpoolNews } from '../spool/journal'
import type { LaneStatus } from '../spool/lanes'
import type { DeliveryRecord, SharedRecord } from '../spool/spool'
import type { PostgresStore, StoreOptions } from './store'
import { FIRST_TRY, OPEN, StoreAwayError } from './store-away'
import { createStoreReport, stateOf, storeProblems } from './store-report'
import type { StoreThreadData } from './store-thread'

export type StoreSettings = Pick<StoreOptions, 'url' | 'allowWeak' | 'retention' | 'lanes'>

/** The methods of the store, as a thread answers them. */
export type StoreCalls = Omit<PostgresStore, 'follow' | 'facts' | 'close'>

interface StartedStore {
  readonly thread: ThreadHandle
  /** They wait for the first try to open the store, and reject with StoreAwayError until one succeeds. */
  readonly calls: StoreCalls
  /** One number, for other threads: 1 once the store is open. */
  readonly isOpen: Int32Array
  /** The first try has ended. Rejects with an error that waiting does not mend. */
  readonly tried: Promise<void>
}

/** Starts the thread of the shared record. */
export function startStore(
  settings: StoreSettings,
  options: Pick<StoreThreadData, 'isFollowed'> & {
    readonly onNews?: (news: SpoolNews) => void
    readonly onDeath: (error: Error) => void
  },
): StartedStore {
  // A collector that was killed may still have open posts, so the next one has another name.
  const name = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`
  const { isFollowed, onNews, onDeath } = options
  const isOpen = new Int32Array(new SharedArrayBuffer(4))
  const noteOpen = (): void => {
    Atomics.store(isOpen, 0, 1)
  }
  const thread = startThread({
    entry: new URL('./store-thread.js', import.meta.url),
    data: { ...settings, name, isFollowed } satisfies StoreThreadData,
    onNews: (news) => (news === OPEN ? noteOpen() : onNews?.(news as SpoolNews)),
    onDeath,
  })
  return {
    thread,
    calls: withCalls<Unwrapped<StoreCalls>, object>({}, (method, args) => thread.call(method, ...args)),
    isOpen,
    tried: thread.call<boolean>(FIRST_TRY).then((opened) => {
      if (opened) noteOpen()
    }),
  }
}

export interface OpenedRecord {
  readonly record: DeliveryRecord
  /** How the store is, for pages and for `/health/ready`. */
  readonly storage: () => Promise<{
    readonly status: Pick<Storage, 'state' | 'trouble'> & { readonly store: Store }
    readonly notReady: readonly string[]
  }>
  readonly close: () => Promise<void>
}

/**
 * Opens a record that several collectors share in PostgreSQL, without a mirror of it: for a collector that answers no
 * queries. It uses no file. While PostgreSQL is away, writes reject with StoreAwayError.
 * @param options.news of all collectors; `null` for a collector that delivers nothing. @throws UnfitStoreError
 */
export async function openPostgresRecord(
  settings: StoreSettings,
  options: { readonly news: Feed<SpoolNews> | null; readonly onDeath: (error: Error) => void },
): Promise<OpenedRecord> {
  const { news, onDeath } = options
  const { thread, calls, tried } = startStore(settings, {
    isFollowed: news !== null,
    onNews: (given) => news?.publish(given),
    onDeath,
  })
  try {
    await tried
  } catch (error) {
    await thread.kill('the store did not open')
    throw error
  }
  const describe = createStoreReport({
    place: storePlace(settings.url),
    store: calls,
    mirrored: async () => null,
    now: Date.now,
    monotonic: () => performance.now(),
  })
  const own: Pick<DeliveryRecord, 'correctLimits' | 'shared' | 'countPending' | 'stranded' | 'limits' | 'setting'> = {
    // Ends of limits are those of the store.
    correctLimits: async () => undefined,
    // Without a mirror nothing can lack an older part.
    shared: sharedRecord(calls, { describe, reach: () => null, written: (value) => value }),
    countPending: orLastKnown(calls.countPending, { pending: 0, deadLetters: 0 }),
    stranded: (...given) => calls.stranded(...given).catch(unlessAway(() => [])),
    limits: orLastKnown(calls.limits, []),
    setting: orLastKnown(calls.setting, null),
  }
  return {
    record: withCalls<Unwrapped<StoreCalls>, typeof own>(own, (method, args) => thread.call(method, ...args)),
    storage: async () => {
      const store = await describe()
      const problems = storeProblems(store, 'envelopes are refused with 503, and deliveries wait')
      return { status: { store, state: stateOf(store), trouble: problems.join('. ') || null }, notReady: problems }
    },
    close: thread.stop,
  }
}

/** The part of the record that collectors share. @param parts.written is called after each result is stored */
export const sharedRecord = (
  calls: StoreCalls,
  parts: Pick<SharedRecord, 'describe' | 'reach'> & { readonly written: <Value>(value: Value) => Value },
): SharedRecord => ({
  describe: parts.describe,
  reach: parts.reach,
  head: calls.head,
  takeLanes: calls.takeLanes,
  releaseLane: calls.releaseLane,
  leave: calls.leave,
  publishLane: calls.publishLane,
  pendingIn: calls.pendingIn,
  readLanes: (upstreams) => calls.readLanes(upstreams).catch(unlessAway((): readonly LaneStatus[] => [])),
  resultsOf: (lane) => ({
    recordAttempt: async (attempt) => parts.written(await calls.recordAttempt(attempt, lane)),
    decideWithoutAttempt: async (...decided) => parts.written(await calls.decideWithoutAttempt(...decided, lane)),
  }),
})

/** @returns what to do with an error: the store is away, or it is thrown again */
export const unlessAway =
  <Value>(instead: () => Value) =>
  (error: Error): Value => {
    if (error.name !== StoreAwayError.NAME) throw error
    return instead()
  }

/** @param none the answer before there was any @returns a read that repeats its last answer while the store is away */
function orLastKnown<Args extends readonly unknown[], Value>(
  read: (...args: Args) => Promise<Value>,
  none: Value,
): (...args: Args) => Promise<Value> {
  const known = new Map<string, Value>()
  return async (...args) => {
    const key = JSON.stringify(args)
    const value = await read(...args).catch(unlessAway(() => known.get(key) ?? none))
    known.set(key, value)
    return value
  }
}

/** With results instead of promises of them. */
export type Unwrapped<Of> = {
  [Name in keyof Of]: Of[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never
}
