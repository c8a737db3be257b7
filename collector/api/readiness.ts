import { Hono } from 'hono'
import { hasAllRoles, type Role } from '../../lib/protocol/roles'
import { withTimeout } from '../../lib/time'
import type { UpstreamState } from '../../lib/wire/overview'
import { strandedSentence, unownedSentence } from '../../lib/wire/stranded'
import type { TelemetryIndex } from '../index/index'
import type { Relay } from '../relay/relay'
import type { Spool, StorageReport } from '../spool/spool'

export interface Readiness {
  readonly ready: boolean
  /** One sentence per problem. */
  readonly notReady: readonly string[]
}

export interface Health {
  readonly ready: () => Promise<Readiness>
  /** The problems for which envelopes may be refused. The others are of deliveries, which all collectors of a record share. */
  readonly refusing: () => Promise<readonly string[]>
}

/** Open to everyone: they contain no recorded data. */
export function healthRoutes(version: string, roles: readonly Role[], health: Health): Hono {
  const routes = new Hono()
  routes.get('/live', (c) => c.json({ status: 'live', service: 'waystation', version }))
  routes.get('/ready', async (c) => {
    const { ready, notReady } = await health.ready()
    const named = hasAllRoles(roles) ? {} : { roles }
    return c.json({ status: ready ? 'ready' : 'not ready', ...named, notReady }, ready ? 200 : 503)
  })
  // For load balancers: an upstream that fails must not take all collectors away from those who send and look.
  if (roles.includes('intake'))
    routes.get('/intake', async (c) => {
      const refusing = await health.refusing()
      const takes = refusing.length === 0
      return c.json({ status: takes ? 'taking' : 'refusing', refusing }, takes ? 200 : 503)
    })
  return routes
}

/** Each check has this long; a slower one is itself a problem. */
const HEALTH_BUDGET_MS = 900

const BUSY = `spool.db could not be written within ${HEALTH_BUDGET_MS} ms: another program may hold a lock on it (a database browser, a backup), or the disk is slow; each envelope waits some seconds and is then refused`

const SLOW_STORE = `the shared record could not be written within ${HEALTH_BUDGET_MS} ms: PostgreSQL is away, slow or blocked; envelopes wait some seconds and are then refused`

/** Ready means: the index can be read, the spool can be written, the disk has space, no body waits for memory, and every upstream accepts envelopes from a collector. */
export function createHealth(parts: {
  /** `null` without the role `query`. */
  readonly index: Pick<TelemetryIndex, 'innerSpans'> | null
  /** `probe` writes to the spool; it rejects when that fails. */
  readonly record: Pick<Spool, 'probe' | 'shared'> & {
    readonly storage: () => Promise<Pick<StorageReport, 'notReady'>>
  }
  readonly relay: Pick<Relay, 'states' | 'stranded'>
  /** A sentence while request bodies wait for memory. */
  readonly intakeProblem: () => string | null
  /** The answer by which an upstream pauses the relay, as text. */
  readonly pauseAnswer: (paused: NonNullable<UpstreamState['paused']>) => string
}): Health {
  const { index, record, relay, intakeProblem, pauseAnswer } = parts
  const written = (): Promise<readonly string[]> =>
    record.probe().then(
      () => [],
      // A store that is away is a problem of the storage report already.
      (error: Error) => (record.shared === null ? [`spool.db cannot be written: ${error.message}`] : []),
    )
  const refusing = async (): Promise<readonly string[]> => {
    const [writeProblems, diskProblems] = await Promise.all([
      withTimeout(written(), HEALTH_BUDGET_MS, [record.shared === null ? BUSY : SLOW_STORE]),
      withTimeout(
        record.storage().then(({ notReady }) => notReady),
        HEALTH_BUDGET_MS,
        [],
      ),
    ])
    const intake = intakeProblem()
    return [...writeProblems, ...diskProblems, ...(intake === null ? [] : [intake])]
  }
  const ready = async (): Promise<Readiness> => {
    const [read, storing] = await Promise.all([
      withTimeout(Promise.all([relay.states(), relay.stranded(), index?.innerSpans(null)]), HEALTH_BUDGET_MS, null),
      refusing(),
    ])
    const [states, stranded] = read ?? [[], []]
    const notReady = [
      ...(read === null ? [`the store did not answer within ${HEALTH_BUDGET_MS} ms`] : []),
      ...storing,
      ...states.flatMap((state) => upstreamProblem(state, pauseAnswer)),
      ...stranded.map(strandedSentence),
    ]
    return { ready: notReady.length === 0, notReady }
  }
  return { ready, refusing }
}

function upstreamProblem(
  upstream: UpstreamState,
  pauseAnswer: (paused: NonNullable<UpstreamState['paused']>) => string,
): readonly string[] {
  const { label, state, paused, last, pending } = upstream
  const unowned = unownedSentence(upstream)
  if (unowned !== null) return [unowned]
  if (state === 'paused' && paused !== null) {
    const since = new Date(paused.since).toISOString()
    return [
      `${label} is paused: since ${since} it answers ${pauseAnswer(paused)}, which refuses the DSN and not one envelope; ${pending} pending stay stored, and one probe goes each minute`,
    ]
  }
  if (state !== 'backing_off') return []
  const why = last?.error ?? `it answered ${last?.status}`
  return [`${label} does not accept envelopes: ${why}; ${pending} wait`]
}
