import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { ownLocalDsn, STAND_IN } from '../lib/config/environment'
import { formatDsn, localDsn } from '../lib/protocol/dsn'
import { receiptAt } from '../lib/protocol/request'
import { createApp } from './app'
import { type Config, isOnLoopback, withPort } from './config'
import { createZstdDecoder } from './http/decoder'
import { LiveHub } from './http/hub'
import { watchIntake } from './http/intake-load'
import { closeAll, listenOnAll } from './http/listen'
import { createActiveLimits, createLimitsNow, createOverview, createStatus } from './http/overview'
import { createBodyReader } from './http/read-body'
import { createReadiness } from './http/readiness'
import { createRefusalCounter } from './http/refusal'
import { startDigester } from './index/digester'
import { createJudge } from './index/judge'
import { createReaderPause, startReader } from './index/reader'
import { orderDeadLetters } from './relay/dead-letters'
import { createDelivery } from './relay/delivery'
import { RateLimits } from './relay/rate-limits'
import type { Relay } from './relay/relay'
import type { RunningCollector } from './running-collector'
import { StoppingError } from './runtime/thread-errors'
import { later, repeat, shareOfLoop } from './runtime/timers'
import { createScrubber } from './scrubber'
import { DiskBudgetKeeper, START_AT } from './spool/budget-keeper'
import { clearRecords } from './spool/eviction'
import { openSpool, type SpoolNews } from './spool/spool'
import { createStorageStatus } from './spool/storage'
import type { Appended, DiskBudgetExceeded, Submission } from './spool/submission'
import { playUpstream, triedAnew } from './stand-in/play-upstream'
import { upstreamsOf } from './upstreams-of'

/**
 * Makes every part, in the order in which they need each other, and joins them: what is durable is told to the live
 * stream, the digester and the relay.
 * @param onFailure a part that died by itself; the process has to end.
 */
export async function startCollector(config: Config, onFailure: (error: Error) => void): Promise<RunningCollector> {
  // While everything stops, what became durable last still wakes who is gone already.
  const onDeath = (error: Error): void => {
    if (!(error instanceof StoppingError)) onFailure(error)
  }
  const { folder } = config
  const startedAt = Date.now()
  const { maxDisk: cap, limits: readLimits } = config.environment
  let onNews: (news: SpoolNews) => void = () => undefined
  let onRows: () => void = () => undefined
  const intake = watchIntake({ busyShare: shareOfLoop(), repeat, monotonic: () => performance.now() })
  const opening = openSpool({ folder, cap, onNews: (news) => onNews(news), onDeath })
  const pause = createReaderPause()
  const digesting = startDigester({
    folder,
    after: opening,
    limits: readLimits,
    intake: intake.cell,
    onBatch: ({ upTo, undigested }) => {
      for (const { seq, reason } of undigested) console.error(`submission ${seq} stays undigested: ${reason}`)
      // Only the live stream misses a fact that cannot be written down; the next one covers it.
      spool.noteDigested(upTo).catch((error: Error) => console.error(`digested up to ${upTo}: ${error.message}`))
      onRows()
    },
    log: console.error,
    withoutReaders: pause.without,
    now: Date.now,
    onDeath,
  })
  // The relay must not wait behind a query, nor a query behind the relay.
  const onRowsDamaged = (why: string): void => digester.damaged(why)
  const newReader = () => startReader({ folder, after: digesting, limits: readLimits, onRowsDamaged, onDeath })
  const reader = newReader()
  const spool = await opening
  const digester = await digesting
  const hub = new LiveHub(await reader.head())
  // Waited for at the end alone. Who opened a record later than that could find another in its place.
  const relayReader = newReader()
  pause.started([reader, relayReader])
  const limits = new RateLimits(await reader.limits(), { now: Date.now, monotonic: () => performance.now() })
  const upstream =
    config.environment.upstream !== STAND_IN
      ? null
      : await playUpstream({
          setting: reader.setting,
          keep: spool.saveSetting,
          changed: spool.noteChanged,
          now: Date.now,
          say: console.error,
        })
  const standIn = upstream?.standIn
  const scrubber = createScrubber(config.environment, later)
  const delivery = createDelivery({
    upstreams: upstreamsOf(config, standIn?.dsn),
    limits,
    holdErrors: config.environment.holdErrors,
    scrub: scrubber.scrub,
    passAddress: config.environment.scrub !== 'on',
    spool,
    write: (work) => keeper.writeWithEviction(work),
    reader,
    relayReader,
    intake,
    log: console.error,
    onDeath,
  })
  const { relay } = delivery
  let labRelay = (await reader.setting('lab_relay')) === 'on'
  const keeper = new DiskBudgetKeeper({
    spool,
    rows: digester,
    cap,
    monotonic: () => performance.now(),
    later,
    onDeath,
  })
  keeper.start()
  const room = createStorageStatus({ spool, rows: digester, keeper, cap, folder, now: Date.now })
  onRows = () => keeper.rowsGrew()
  onNews = ({ facts, used }) => {
    hub.publish(facts)
    keeper.spoolGrew(
      used,
      facts.some(({ kind }) => kind === 'received' || kind === 'decided' || kind === 'delivered'),
    )
    relay.onJournal(facts)
    if (facts.some(({ kind }) => kind === 'received')) digester.wake()
  }

  let environment = config.environment
  const { passLimits, holdErrors } = config.environment
  const limitParts = { relay, limits, reader, passLimits, holdErrors, now: Date.now }
  const boards = {
    relay,
    activeLimits: createActiveLimits(limitParts),
    now: Date.now,
    script: () => upstream?.sentence() ?? null,
  }
  const limitsNow = createLimitsNow(limitParts)
  const judge = createJudge({
    folder,
    hub,
    newest: reader.newestRecorded,
    limits: limitsNow,
    collectorUrl: () => environment.collectorUrl,
    later,
    monotonic: () => performance.now(),
  })
  const zstd = createZstdDecoder(later)
  const app = createApp({
    environment: config.environment,
    readBody: createBodyReader({ limits: config.environment.limits, zstd, later }),
    scrubStored: scrubber.scrubStored,
    spool: {
      append: async (submission) => {
        const appended = await intake.measure(keeper.appendWithEviction(submission))
        offerTo(relay, submission, appended)
        return appended
      },
      countRefusal: createRefusalCounter({ spool, later, log: console.error }),
    },
    storage: room.storage,
    status: createStatus({ ...boards, storage: room.storage, holdErrors }),
    clear: (options) => clearRecords({ spool, rows: digester }, options),
    orderDeadLetters: (order) => orderDeadLetters({ spool, reader, limits, now: Date.now }, order),
    redigest: async () => {
      const { used } = (await spool.usage()).spool
      // New rows take about as much as the old ones, and nothing that is kept may have to go for them.
      await digester.rebuild(used + 2 * digester.usage().used <= cap * START_AT)
    },
    redigestState: () => ({ rebuild: digester.progress(), last: digester.lastRebuilt() }),
    reader,
    hub,
    limits,
    upstream: upstream && triedAnew(upstream, () => relay.tryNow(true)),
    version: config.version,
    now: Date.now,
    newReceipt: () => receiptAt(Date.now(), randomUUID()),
    report: (error) => console.error(error.stack ?? error.message),
    initialStatus: ({ publicKey, project }, fromLab) => {
      const upstream = relay.upstreamFor({ publicKey, projectId: project })
      if (upstream === undefined) return { outcome: 'kept', reason: 'no_upstream' }
      if (fromLab && !labRelay && !isOnLoopback(upstream.dsn)) return { outcome: 'filtered', reason: 'lab' }
      return 'pending'
    },
    tryNow: () => relay.tryNow(),
    setLabRelay: async (wanted) => {
      await spool.saveSetting('lab_relay', wanted ? 'on' : 'off')
      labRelay = wanted
    },
    limitsNow,
    contract: judge.contract,
    overview: createOverview({
      ...boards,
      reader,
      spool,
      startedAt,
      folder,
      localDsn: () => ownLocalDsn(environment),
      labRelay: () => labRelay,
    }),
    readiness: createReadiness({ reader, relay, probe: spool.probe, room: room.notReady }),
  })
  const { servers, port } = await listenOnAll(app.fetch, config.hosts, config.port).catch(async (error: unknown) => {
    await Promise.all([standIn?.close(), reader.close(), relayReader.close(), digester.close()])
    await spool.close()
    throw error
  })
  environment = withPort(environment, port)
  const [stranded] = await Promise.all([relay.stranded(), relayReader.head()])
  // Last: what an upstream answers at once is then said to a supervisor that listens.
  delivery.start()

  return {
    url: environment.collectorUrl,
    localDsn: ownLocalDsn(environment),
    upstreams: relay.upstreams().map(({ dsn, ...named }) => ({
      ...named,
      localDsn: formatDsn(localDsn(environment.collectorUrl, dsn)),
    })),
    stranded,
    script: upstream?.sentence() ?? null,
    stop: async () => {
      const closed = closeAll(servers)
      // Its own posts would wait for answers that are not meant to come.
      standIn?.endHeld()
      scrubber.hurry()
      await delivery.close()
      for (const server of servers) server.closeAllConnections()
      await closed
      intake.stop()
      await keeper.stop()
      // Readers first: the last to close a database folds its log away.
      digester.quiesce()
      await Promise.all([reader, relayReader, judge, zstd, scrubber].map((part) => part.close()))
      await standIn?.close()
      await digester.close()
      await spool.close()
    },
  }
}

/** What is pending from now on is at hand: its upstream need not have it read again. */
function offerTo(relay: Relay, submission: Submission, appended: Appended | DiskBudgetExceeded): void {
  if (!('seq' in appended) || appended.pendingAfter === undefined) return
  const { seq, pendingAfter } = appended
  const upstream = relay.upstreamFor({ publicKey: submission.publicKey, projectId: submission.project })
  upstream?.offer({ seq, pendingAfter, record: submission })
}
