import { hasAllRoles, type Role } from '../../lib/protocol/roles'
import type { Limit, LimitsNow, PageLimit } from '../../lib/wire/limits'
import type { Overview, Status } from '../../lib/wire/overview'
import type { RecordedRun } from '../../lib/wire/run'
import type { Storage } from '../../lib/wire/storage'
import type { TelemetryIndex } from '../index/index'
import type { Relay } from '../relay/relay'
import type { RateLimits } from '../relay/running-limits'
import type { LimitPeriod, PageLimitRow, Spool } from '../spool/spool'

interface DeliveryParts {
  readonly relay: Pick<Relay, 'states' | 'stranded'>
  readonly activeLimits: () => Promise<Overview['limits']>
  readonly now: () => number
  readonly script: () => string | null
  /** `waystation show` needs no upstream: then nothing is stranded. */
  readonly isShown: boolean
}

const readDelivery = async ({
  relay,
  script,
  activeLimits,
  isShown,
}: DeliveryParts): Promise<Pick<Overview, 'upstreams' | 'stranded' | 'script' | 'limits'>> => ({
  upstreams: await relay.states(),
  stranded: isShown ? [] : await relay.stranded(),
  script: script(),
  limits: await activeLimits(),
})

export function createStatus(
  parts: DeliveryParts & {
    readonly record: {
      readonly storage: () => Promise<{ readonly status: Pick<Storage, 'state' | 'trouble' | 'store' | 'reach'> }>
    }
    readonly roles: readonly Role[]
    readonly holdErrors: boolean
    readonly shown: string | null
    readonly run: RecordedRun | null
    readonly localDsn: () => string
  },
): () => Promise<Status> {
  return async () => {
    const [{ status }, delivery] = await Promise.all([parts.record.storage(), readDelivery(parts)])
    return {
      now: parts.now(),
      storage: { state: status.state, trouble: status.trouble, ...reachOf(status) },
      holdErrors: parts.holdErrors,
      shown: parts.shown,
      run: parts.isShown ? (parts.run?.name ?? parts.run?.command ?? null) : null,
      localDsn: parts.isShown || !parts.roles.includes('intake') ? null : parts.localDsn(),
      ...(hasAllRoles(parts.roles) ? {} : { roles: [...parts.roles] }),
      ...delivery,
      ...storeOf(status),
    }
  }
}

export function createOverview(
  parts: DeliveryParts & {
    readonly index: Pick<TelemetryIndex, 'counts'>
    readonly record: Pick<Spool, 'totals' | 'storage'>
    readonly startedAt: number
    readonly folder: string
    readonly localDsn: () => string
    readonly labRelay: () => boolean
    readonly run: RecordedRun | null
  },
): () => Promise<Overview> {
  return async () => {
    const now = parts.now()
    const [{ refused, unexplained: _, ...totals }, { counts, last }, delivery, { status, copies }] = await Promise.all([
      parts.record.totals(),
      parts.index.counts(),
      readDelivery(parts),
      parts.record.storage(),
    ])
    return {
      ...totals,
      last,
      counts: { ...counts, refused, envelopes: status.records - copies, copies },
      now,
      startedAt: parts.startedAt,
      localDsn: parts.localDsn(),
      dataFolder: parts.folder,
      localOnly: delivery.upstreams.length === 0,
      ...delivery,
      labRelay: parts.labRelay(),
      run: parts.run,
      isShown: parts.isShown,
      ...storeOf(status),
      ...reachOf(status),
    }
  }
}

/** The shared record without its sizes; nothing where the record is not shared. */
function storeOf({ store }: Pick<Storage, 'store'>): Pick<Status, 'store'> {
  if (store === undefined) return {}
  const { place, away, mirror, lanes } = store
  return { store: { place, away, ...(mirror !== undefined && { mirror }), lanes } }
}

const reachOf = ({ reach }: Pick<Overview, 'reach'>): Pick<Overview, 'reach'> => (reach === undefined ? {} : { reach })

interface LimitParts {
  readonly relay: {
    readonly upstreamFor: (sent: {
      readonly publicKey: string
      readonly projectId: string
    }) => { readonly label: string } | undefined
  }
  readonly rateLimits: Pick<RateLimits, 'active'>
  readonly record: Pick<Spool, 'limitHistory'>
  readonly passLimits: boolean
  readonly holdErrors: boolean
  readonly now: () => number
}

const MAX_ENDED_LIMITS = 50

/**
 * Active rate limits, with the label of their upstream, except those that apply to one stamp. Reads the database only when
 * a limit is active.
 */
export function createActiveLimits(parts: LimitParts): () => Promise<Limit[]> {
  return async () => {
    if (parts.rateLimits.active().length === 0) return []
    const { periods } = await parts.record.limitHistory()
    return activeLimits(parts, periods)
      .map(({ limit }) => limit)
      .filter(({ stamp }) => stamp === undefined)
  }
}

/** Active limits come from memory, which measures with a monotonic clock; counts of cut items come from the record. */
export function createLimitsNow(parts: LimitParts): () => Promise<LimitsNow> {
  return async () => {
    const { periods, pages, unnamed } = await parts.record.limitHistory()
    const now = parts.now()
    const active = activeLimits(parts, periods)
    const running = new Set(active.map(({ period }) => period))
    return {
      now,
      limits: active.map(({ limit }) => limit),
      ended: periods
        .filter((period) => !running.has(period))
        .map((period) => ({ ...limitOf(period, labelOf(parts, period)), until: Math.min(period.until, now) }))
        .sort((a, b) => b.until - a.until)
        .slice(0, MAX_ENDED_LIMITS),
      pages: pages.map((page) => judgePage(page, labelOf(parts, page), now)),
      unnamed,
      passLimits: parts.passLimits,
      holdErrors: parts.holdErrors,
    }
  }
}

const activeLimits = (parts: LimitParts, periods: readonly LimitPeriod[]) =>
  parts.rateLimits.active().map((active) => {
    const period = periods.find(
      ({ category, project, publicKey }) =>
        active.stamp === undefined &&
        category === active.category &&
        project === active.project &&
        publicKey === active.publicKey,
    )
    const limit = limitOf(period ?? { ...active, cut: 0 }, labelOf(parts, active))
    return { limit: { ...limit, until: active.until }, period }
  })

/** The label of the upstream; the project id when it is no longer configured. */
const labelOf = (
  { relay }: LimitParts,
  { publicKey, project }: { readonly publicKey: string; readonly project: string },
): string => relay.upstreamFor({ publicKey, projectId: project })?.label ?? project

const limitOf = ({ publicKey: _, project: __, ...period }: LimitPeriod, upstream: string): Limit => ({
  upstream,
  ...period,
})

function judgePage(row: PageLimitRow, upstream: string, now: number): PageLimit {
  const { page, category, sentAt, until, sentWith, violatedSeq, violatedAt, resumedSeq, resumedAt } = row
  return {
    page,
    upstream,
    category,
    sentAt,
    until,
    sentWith,
    violated: firstAfter(sentAt, violatedSeq, violatedAt),
    resumed: firstAfter(until, resumedSeq, resumedAt),
    verdict: violatedSeq !== null ? 'violated' : now < until ? 'waiting' : 'obeyed',
  }
}

const firstAfter = (since: number, seq: number | null, at: number | null): PageLimit['violated'] =>
  seq === null || at === null ? null : { seq, at, afterMs: at - since }
