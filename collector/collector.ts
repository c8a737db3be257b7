import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { keepsKeyless, ownLocalDsn, STAND_IN } from '../lib/config/environment'
import { plainText } from '../lib/format'
import { createLoginThrottle } from '../lib/guard/login-throttle'
import { formatDsn, localDsn, sameProject } from '../lib/protocol/dsn'
import { receiptAt } from '../lib/protocol/request'
import { addressOf, isDsn, KEYLESS } from '../lib/protocol/upstream-address'
import { startTimer as later } from '../lib/time'
import { createUptime } from '../lib/tunnel/uptime'
import type { Overview } from '../lib/wire/overview'
import { type RecordedRun, runEnding, shortCommit } from '../lib/wire/run'
import { describeScript } from '../lib/wire/stand-in'
import { LiveHub } from './api/hub'
import { closeAll, listenOnAll } from './api/listen'
import { createRareLog, grpcHint, listenForOtlp } from './api/otlp-port'
import { createActiveLimits, createLimitsNow, createOverview, createStatus } from './api/overview'
import { createReadTurns } from './api/read-turns'
import { createReadiness } from './api/readiness'
import { createSessions, SESSIONS_SETTING } from './api/sessions'
import { createApp, createOtlpApp } from './app'
import { type Config, isOnLoopback, otlpPortOf, upstreamsOf, withPort } from './config'
import { startDigester } from './index/digester'
import { createReaderPause, startReader } from './index/reader'
import { createZstdDecoders } from './intake/decoder'
import { createBodyReader } from './intake/read-body'
import { createRefusalCounter } from './intake/refusal'
import { createJudge } from './judge/judge'
import { orderDeadLetters } from './relay/dead-letters'
import { createDelivery } from './relay/delivery'
import type { Relay } from './relay/relay'
import { RateLimits } from './relay/running-limits'
import { quotedAnswer } from './relay/upstream-breaker'
import { createKeptRuns } from './runs/kept-runs'
import { describeRun } from './runs/manifest'
import { watchIntake } from './runtime/intake-load'
import { mapStack } from './runtime/map-stack'
import { StoppingError } from './runtime/thread-errors'
import { repeat, shareOfLoop } from './runtime/timers'
import { createScrubber } from './scrubber'
import { DiskBudgetKeeper, START_AT } from './spool/disk/budget-keeper'
import { clearRecords } from './spool/disk/eviction'
import { createStorageStatus } from './spool/disk/storage'
import { openSpool, type SpoolNews } from './spool/spool'
import type { Appended, DiskBudgetExceeded, Submission } from './spool/submission'
import { startStandIn } from './stand-in/stand-in'

export interface RunningCollector {
  readonly url: string
  readonly localDsn: string
  /** Each with the local DSN of its project, for SDKs. */
  readonly upstreams: readonly { readonly label: string; readonly standIn: boolean; readonly localDsn: string }[]
  readonly otlp: OtlpFacts
  /** Pending envelopes of keys and projects that are no longer configured. */
  readonly stranded: Overview['stranded']
  /** Stops accepting requests, waits briefly for open posts, checkpoints the databases and ends the threads. */
  readonly stop: () => Promise<void>
}

/** Facts about OTLP requests without a key, for the start message. */
interface OtlpFacts {
  /** OpenTelemetry programs send here. */
  readonly url: string
  /** The default port, where another program has it. */
  readonly taken: number | null
  /** The label of their upstream, where `WAYSTATION_OTLP_UPSTREAM` names another one than those above. */
  readonly upstream: string | null
  /** Nothing selects one of several upstreams, so they stay here. */
  readonly staysLocal: boolean
}

/** Creates all parts of the collector and connects them. @param onFailure a part died; the process must exit */
export async function startCollector(config: Config, onFailure: (error: Error) => void): Promise<RunningCollector> {
  // While stopping, the last facts may still call a part that has ended.
  const onDeath = (error: Error): void => {
    if (!(error instanceof StoppingError)) onFailure(error)
  }
  const { folder } = config
  const run = describeRun(folder)
  const startedAt = Date.now()
  const { maxDisk: cap, maxAgeMs, sizeLimits } = config.environment
  let onNews: (news: SpoolNews) => void = () => undefined
  let onRows: () => void = () => undefined
  const intake = watchIntake({ busyShare: shareOfLoop(), repeat, monotonic: () => performance.now() })
  const opening = openSpool({ folder, cap, maxAgeMs, onNews: (news) => onNews(news), onDeath })
  const pause = createReaderPause()
  const digesting = startDigester({
    folder,
    after: opening,
    sizeLimits,
    intake: intake.cell,
    onBatch: ({ upTo, undigested }) => {
      for (const { seq, reason } of undigested) console.error(`submission ${seq} stays undigested: ${reason}`)
      // On failure only the live stream misses a fact, and the next one covers it.
      spool.noteDigested(upTo).catch((error: Error) => console.error(`digested up to ${upTo}: ${error.message}`))
      onRows()
    },
    log: console.error,
    withoutReaders: pause.without,
    now: Date.now,
    onDeath,
  })
  // The relay and queries have separate readers, so that neither waits for the other.
  const onIndexDamaged = (why: string): void => digester.damaged(why)
  let isSpoolDamaged = false
  const onSpoolDamaged = (): void => {
    isSpoolDamaged = true
  }
  const readerParts = { folder, after: digesting, sizeLimits, onIndexDamaged, onSpoolDamaged, onDeath }
  const turns = createReadTurns()
  const reader = startReader({ ...readerParts, takeTurn: turns.takeTurn })
  // Loads its code at the same time, and is awaited only at the end.
  const relayReader = startReader(readerParts)
  const spool = await opening
  const digester = await digesting
  const hub = new LiveHub(await reader.head())
  pause.started([reader, relayReader])
  const rateLimits = new RateLimits(await reader.limits(), { now: Date.now, monotonic: () => performance.now() })
  const standIn =
    config.environment.upstream !== STAND_IN
      ? null
      : await startStandIn({
          onChange: () => {
            spool.noteChanged().catch((error: Error) => console.error(`live boards miss a change: ${error.message}`))
          },
        })
  const script = () => (standIn === null ? null : describeScript(standIn.answers(), Date.now()))
  const uptime = createUptime()
  const scrubber = createScrubber(config.environment, later)
  const delivery = createDelivery({
    upstreams: upstreamsOf(config, standIn?.dsn),
    rateLimits,
    holdErrors: config.environment.holdErrors,
    scrub: scrubber.scrub,
    passAddress: config.environment.scrub !== 'on',
    spool,
    write: (work) => keeper.writeWithEviction(work),
    reader,
    relayReader,
    intake,
    log: console.error,
    uptime,
    onDeath,
  })
  const { relay } = delivery
  let labRelay = (await reader.setting('lab_relay')) === 'on'
  const keeper = new DiskBudgetKeeper({
    spool,
    rows: digester,
    cap,
    maxAgeMs,
    now: Date.now,
    monotonic: () => performance.now(),
    onDeath,
  })
  // Nothing of a shown run may disappear: a stopped keeper evicts nothing.
  if (config.isShown) await keeper.stop()
  else keeper.start()
  const storageStatus = createStorageStatus({
    spool,
    rows: digester,
    keeper,
    cap,
    maxAgeMs,
    folder,
    isSpoolDamaged: () => isSpoolDamaged,
    now: Date.now,
  })
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

  const sessions = createSessions({
    stored: await reader.setting(SESSIONS_SETTING),
    save: (text) => spool.saveSetting(SESSIONS_SETTING, text),
    token: config.environment.token,
    now: Date.now,
  })

  let environment = config.environment
  const { passLimits, holdErrors } = config.environment
  const limitParts = { relay, rateLimits, reader, passLimits, holdErrors, now: Date.now }
  const deliveryParts = {
    relay,
    activeLimits: createActiveLimits(limitParts),
    now: Date.now,
    script,
    isShown: config.isShown,
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
  const appendAndOffer = async (submission: Submission): Promise<Appended | DiskBudgetExceeded> => {
    const appended = await intake.measure(keeper.appendWithEviction(submission))
    offerToRelay(relay, submission, appended)
    return appended
  }
  const zstd = createZstdDecoders(later)
  const { readBody, problem: intakeProblem } = createBodyReader({
    sizeLimits: config.environment.sizeLimits,
    zstd,
    later,
    monotonic: () => performance.now(),
  })
  const runs = createKeptRuns({ folder, root: process.cwd(), bundles: import.meta.dirname, log: console.error })
  const logRarely = createRareLog({ log: console.error, monotonic: () => performance.now() })
  const deps: Parameters<typeof createApp>[0] = {
    logOtlpRefusal: (reason, at, detail) => logRarely(reason, plainText(`OTLP refused (${reason}, ${at}): ${detail}`)),
    environment: config.environment,
    isShown: config.isShown,
    readBody,
    scrubStored: scrubber.scrubStored,
    spool: {
      append: appendAndOffer,
      addUnseenAnswer: spool.addUnseenAnswer,
      countRefusal: createRefusalCounter({ spool, later, log: console.error }),
    },
    storage: storageStatus.storage,
    status: createStatus({
      ...deliveryParts,
      storage: storageStatus.storage,
      holdErrors,
      shown: shownSentence(config.isShown, run),
    }),
    clear: (options) => clearRecords({ spool, rows: digester }, options),
    orderDeadLetters: (order) => orderDeadLetters({ spool, reader, rateLimits, now: Date.now }, order),
    redigest: async () => {
      const { used } = (await spool.usage()).spool
      // The new index needs about as much space as the old one. Keeps the old one only if that evicts nothing.
      await digester.rebuild(used + 2 * digester.usage().used <= cap * START_AT)
    },
    runs,
    redigestState: () => ({ rebuild: digester.progress(), last: digester.lastRebuilt() }),
    reader,
    readTurns: turns.middleware,
    hub,
    rateLimits,
    upstream: standIn && {
      standIn,
      play: (next) => {
        standIn.play(next)
        // Answers from before say nothing about the new script: end the relay's wait.
        relay.tryNow(true)
      },
    },
    version: config.version,
    sessions,
    throttle: createLoginThrottle(() => performance.now()),
    log: console.error,
    now: Date.now,
    uptime,
    newReceipt: () => receiptAt(Date.now(), randomUUID()),
    report: (error) => console.error(mapStack(error.stack ?? error.message)),
    initialStatus: ({ publicKey, project }, endpoint, { lab, own }) => {
      const upstream = relay.upstreamFor({ publicKey, projectId: project })
      if (upstream === undefined) {
        const isKeyless = sameProject(KEYLESS, { publicKey, projectId: project })
        return { outcome: 'kept', reason: isKeyless ? 'several_upstreams' : 'no_upstream' }
      }
      if (endpoint === 'otlp_metrics' && !upstream.takesMetrics) return { outcome: 'kept', reason: 'no_endpoint' }
      if (lab && !labRelay && !isOnLoopback(addressOf(upstream.upstream))) return { outcome: 'filtered', reason: 'lab' }
      // The lab exists to be relayed, and has its own switch.
      if (own === true && !lab && !config.environment.relayOwn) return { outcome: 'kept', reason: 'own_app' }
      return 'pending'
    },
    tryNow: () => relay.tryNow(),
    setLabRelay: async (relayed) => {
      await spool.saveSetting('lab_relay', relayed ? 'on' : 'off')
      labRelay = relayed
    },
    limitsNow,
    contract: judge.contract,
    expectSpans: judge.spans,
    overview: createOverview({
      ...deliveryParts,
      reader,
      spool,
      startedAt,
      folder,
      localDsn: () => ownLocalDsn(environment),
      labRelay: () => labRelay,
      run,
    }),
    readiness: createReadiness({
      reader,
      relay,
      probe: spool.probe,
      intakeProblem,
      storageProblems: storageStatus.notReady,
      pauseAnswer: quotedAnswer,
    }),
  }
  const onHttp2 = () => logRarely('grpc', grpcHint(environment.collectorUrl))
  const listening = async () => {
    const own = await listenOnAll(createApp(deps).fetch, config.hosts, config.port, onHttp2)
    environment = withPort(environment, own.port)
    const otlp = await listenForOtlp(createOtlpApp(deps, () => environment.collectorUrl).fetch, {
      hosts: config.hosts,
      port: otlpPortOf(environment),
      isPortSet: environment.otlpPortGiven,
      collectorPort: own.port,
      onHttp2,
    }).catch(async (error: unknown) => {
      await closeAll(own.servers)
      throw error
    })
    return { servers: [...own.servers, ...otlp.servers], otlp }
  }
  const { servers, otlp } = await listening().catch(async (error: unknown) => {
    await Promise.all([standIn?.close(), reader.close(), relayReader.close(), digester.close()])
    await spool.close()
    throw error
  })
  const [stranded] = await Promise.all([relay.stranded(), relayReader.head()])
  // Last, so that the supervisor already listens when an upstream answers at once.
  if (!config.isShown) delivery.start()

  return {
    url: environment.collectorUrl,
    localDsn: ownLocalDsn(environment),
    upstreams: relay
      .upstreams()
      .flatMap(({ upstream, ...named }) =>
        isDsn(upstream) ? [{ ...named, localDsn: formatDsn(localDsn(environment.collectorUrl, upstream)) }] : [],
      ),
    otlp: {
      url: withOtherPort(environment.collectorUrl, otlp.port),
      taken: otlp.taken,
      upstream: relay.upstreamFor(KEYLESS)?.label ?? null,
      staysLocal: keepsKeyless(environment),
    },
    stranded,
    stop: async () => {
      const closed = Promise.all([closeAll(servers), runs.close()])
      turns.close()
      // Otherwise posts to the stand-in would wait for answers that its script holds.
      standIn?.resetUnanswered()
      scrubber.beginStop()
      await delivery.close()
      for (const server of servers) server.closeAllConnections()
      await closed
      intake.stop()
      await keeper.stop()
      // Readers first: the last connection that closes checkpoints the write-ahead log.
      digester.quiesce()
      await Promise.all([reader, relayReader, judge, zstd, scrubber].map((part) => part.close()))
      await standIn?.close()
      await digester.close()
      await spool.close()
    },
  }
}

/** The sentence of the banner on every page of `waystation show`. */
function shownSentence(isShown: boolean, run: RecordedRun | null): string | null {
  if (!isShown) return null
  if (run === null) return 'This is a copy of a data folder. Nothing is received or sent, and nothing can change.'
  const commit = run.commit === null ? '' : ` at ${shortCommit(run.commit)}`
  return `${run.name ?? run.command}${commit} ${runEnding(run)}. Nothing is received or sent, and nothing can change.`
}

function withOtherPort(collectorUrl: string, port: number): string {
  const { protocol, hostname } = new URL(collectorUrl)
  return `${protocol}//${hostname}:${port}`
}

/** Passes a new pending envelope to the relay from memory, so that the relay need not read it back. */
function offerToRelay(relay: Relay, submission: Submission, appended: Appended | DiskBudgetExceeded): void {
  if (!('seq' in appended) || appended.pendingAfter === undefined) return
  const { seq, pendingAfter } = appended
  const upstream = relay.upstreamFor({ publicKey: submission.publicKey, projectId: submission.project })
  upstream?.offer({ seq, pendingAfter, record: submission })
}
