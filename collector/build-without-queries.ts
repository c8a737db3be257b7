import { performance } from 'node:perf_hooks'
import { ownLocalDsn } from '../lib/config/environment'
import { createActiveLimits, createStatus } from './api/overview'
import { createHealth } from './api/readiness'
import { createAppWithoutQueries } from './app'
import { buildDelivery } from './build-delivery'
import { buildIntake } from './build-intake'
import type { BuiltRecord } from './build-storage'
import type { BuildTools, BuiltParts } from './build-with-queries'
import { type Config, storeSettings } from './config'
import { quotedAnswer } from './relay/upstream-breaker'
import { createFeed } from './runtime/feed'
import { watchIntake } from './runtime/intake-load'
import { mapStack } from './runtime/map-stack'
import { repeat, shareOfLoop } from './runtime/timers'
import type { SpoolNews } from './spool/spool'

/** A collector without the role `query`: it has no mirror of the shared record, no index and no judge, and writes no database. */
export async function buildWithoutQueries(
  config: Config,
  { built, onDeath, environment }: BuildTools,
): Promise<BuiltParts> {
  const { environment: settings, version, isShown } = config
  const { roles, passLimits, holdErrors } = settings
  const now = Date.now
  const { storage, ...record } = built(await openRecord(config, onDeath))
  const delivery = built(await buildDelivery(config, record, onDeath))
  const intake = built(buildIntake(config, record, delivery.relay, () => undefined))
  const { relay, rateLimits } = delivery
  const { spool } = record
  const otlpDeps = {
    ...delivery.deps,
    ...intake.deps,
    environment: settings,
    now,
    report: (error: Error) => console.error(mapStack(error.stack ?? error.message)),
  }
  const app = createAppWithoutQueries({
    ...otlpDeps,
    version,
    isShown,
    // Nobody signs in here: programs have the token.
    sessions: { has: async () => false },
    health: createHealth({
      index: null,
      record: { probe: spool.probe, shared: spool.shared, storage },
      relay,
      intakeProblem: intake.problem,
      pauseAnswer: quotedAnswer,
    }),
    status: createStatus({
      relay,
      activeLimits: createActiveLimits({ relay, rateLimits, record: NO_HISTORY, passLimits, holdErrors, now }),
      now,
      script: () => null,
      isShown,
      record: { storage },
      roles,
      holdErrors,
      shown: null,
      run: null,
      localDsn: () => ownLocalDsn(environment()),
    }),
    upstreams: () => relay.states(),
    store: async () => (await storage()).status.store,
  })
  return { record, delivery, intake, app, otlpDeps, reads: { close: nothingToClose, closeLate: nothingToClose } }
}

/** Items that a limit cut are counted in mirrors. */
const NO_HISTORY = { limitHistory: async () => ({ periods: [], pages: [], unnamed: 0 }) }

const nothingToClose = async (): Promise<void> => undefined

async function openRecord(config: Config, onDeath: (error: Error) => void) {
  const store = storeSettings(config)
  if (store === null) throw new TypeError('only a shared record can be without queries')
  const { openPostgresRecord } = await import('./spool-postgres/postgres-record')
  const news = createFeed<SpoolNews>()
  const isRelaying = config.environment.roles.includes('relay')
  const opened = await openPostgresRecord(store, { news: isRelaying ? news : null, onDeath })
  const load = watchIntake({ busyShare: shareOfLoop(), repeat, monotonic: () => performance.now() })
  return {
    spool: opened.record,
    storage: opened.storage,
    news,
    load,
    close: async () => {
      load.stop()
      await opened.close()
    },
  } satisfies BuiltRecord & { readonly storage: typeof opened.storage }
}
