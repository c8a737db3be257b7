import { DATA_CATEGORIES } from '../../lib/protocol/data-category'
import { OUTCOMES } from '../../lib/protocol/outcome'
import { ROLES, type Role } from '../../lib/protocol/roles'
import type { Losses } from '../../lib/wire/losses'
import type { Overview, UpstreamState } from '../../lib/wire/overview'
import type { Storage } from '../../lib/wire/storage'
import type { Store } from '../../lib/wire/store'

/** Prometheus' text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  readonly samples: readonly Sample[]
}

/**
 * `GET /metrics`: ledger, refusals, deliveries, backlog and bytes, for Prometheus. No label contains received text: unknown data
 * categories are counted as `other`, and upstreams are named by host and project of the configuration.
 */
export function metricsText(losses: Losses, overview: Overview, storage: Storage, roles: readonly Role[]): string {
  return `${[...metricsOf(losses, overview, storage), rolesMetric(roles)].map(textOf).join('\n')}\n`
}

/** `GET /metrics` of a collector without the role `query`: it has no ledger and no files. */
export const deliveryMetricsText = (upstreams: Overview['upstreams'], store: Store, roles: readonly Role[]): string =>
  `${[...upstreamMetrics(upstreams), ...storeMetrics(store), rolesMetric(roles)].map(textOf).join('\n')}\n`

function metricsOf(losses: Losses, { refusals, upstreams }: Overview, storage: Storage): readonly Metric[] {
  const rows = losses.categories.map((row) => ({ ...row, category: knownCategory(row.category) }))
  const perCategory = (amount: 'received' | 'pending' | 'discarded' | 'notSent'): readonly Sample[] =>
    rows.map((row) => ({ labels: { category: row.category }, value: row[amount] }))
  const bytes = (part: string, value: number): Sample => ({ labels: { part }, value })
  return [
    counter('items_received_total', 'Quantities that arrived, by data category.', perCategory('received')),
    counter(
      'items_decided_total',
      'Quantities with an outcome, by data category.',
      rows.flatMap((row) =>
        OUTCOMES.map((outcome) => ({ labels: { category: row.category, outcome }, value: row[outcome] })),
      ),
    ),
    counter('items_discarded_total', 'Quantities that SDKs lost, by their client reports.', perCategory('discarded')),
    counter('items_not_sent_total', 'Quantities that SDKs did not send by choice.', perCategory('notSent')),
    gauge('items_pending', 'Quantities without an outcome yet.', perCategory('pending')),
    counter(
      'refused_requests_total',
      'Requests that intake refused, by reason.',
      refusals.map(({ reason, envelopes }) => ({ labels: { reason }, value: envelopes })),
    ),
    ...upstreamMetrics(upstreams),
    gauge('disk_bytes', 'Bytes in use.', [bytes('record', storage.spool.used), bytes('index', storage.rows.used)]),
    gauge('disk_budget_bytes', 'WAYSTATION_MAX_DISK.', [{ labels: {}, value: storage.cap }]),
    gauge('pending_bytes', 'Bytes of pending envelopes as stored.', [{ labels: {}, value: storage.pending.bytes }]),
    counter('evicted_records_total', 'Records that were deleted for disk space.', [
      { labels: {}, value: storage.evicted.records },
    ]),
    ...(storage.store === undefined ? [] : storeMetrics(storage.store)),
  ]
}

/** A collector was seen this recently if it runs: it gives a sign of life every 10 s. */
const RUNS_MS = 30_000

/** About a record that collectors share. A figure that PostgreSQL did not answer has no sample. */
function storeMetrics({ away, mirror, lanes, usage, counts }: Store): readonly Metric[] {
  const one = (value: number | null | undefined): readonly Sample[] =>
    value === null || value === undefined ? [] : [{ labels: {}, value }]
  const perConnection = (amount: 'opened' | 'failed'): readonly Sample[] =>
    Object.entries(counts.connections).map(([use, of]) => ({ labels: { use }, value: of[amount] }))
  const lagMs = mirror?.lagMs ?? null
  return [
    gauge('store_up', '1 while PostgreSQL answers this collector.', one(away === null ? 1 : 0)),
    gauge('store_bytes', 'Bytes of the database.', one(usage?.bytes)),
    gauge('store_budget_bytes', 'WAYSTATION_STORE_SIZE.', one(usage?.budgetBytes)),
    gauge('store_partitions', 'Ranges of numbers that have tables.', one(usage?.partitions.count)),
    gauge('store_partitions_waiting', 'Partitions that wait to be dropped.', one(usage?.partitions.waiting)),
    gauge(
      'store_collectors',
      'Collectors that were seen in the last 30 s.',
      one(usage?.collectors.list.filter(({ seenMs }) => seenMs <= RUNS_MS).length),
    ),
    gauge(
      'store_lanes',
      'Lanes of upstreams by owner: this collector, another one, or none.',
      lanes === null
        ? []
        : [
            { labels: { owner: 'this' }, value: lanes.own },
            { labels: { owner: 'other' }, value: lanes.others },
            { labels: { owner: 'none' }, value: lanes.free },
          ],
    ),
    gauge('mirror_lag_facts', 'Facts of the store that the mirror lacks.', one(mirror?.missing)),
    gauge(
      'mirror_lag_seconds',
      'Time since the first fact that the mirror lacks was stored.',
      one(lagMs === null ? null : lagMs / 1000),
    ),
    counter('store_batches_total', 'Batches that this collector committed.', one(counts.batches)),
    counter('store_batch_writes_total', 'Writes in these batches.', one(counts.writes)),
    counter('store_batches_repeated_total', 'Batches that were sent again after an error.', one(counts.repeated)),
    counter('store_connections_total', 'Connections that were opened, by use.', perConnection('opened')),
    counter(
      'store_connection_failures_total',
      'Connections that were lost or could not be opened, by use.',
      perConnection('failed'),
    ),
  ]
}

function upstreamMetrics(upstreams: Overview['upstreams']): readonly Metric[] {
  const perUpstream = (count: (upstream: UpstreamState) => number): readonly Sample[] =>
    upstreams.map((upstream) => ({ labels: { upstream: upstream.label }, value: count(upstream) }))
  return [
    gauge(
      'upstream_pending_envelopes',
      'Envelopes that wait for delivery.',
      perUpstream(({ pending }) => pending),
    ),
    gauge(
      'upstream_dead_letters',
      'Envelopes that upstream refused and that wait for a person.',
      perUpstream(({ deadLetters }) => deadLetters),
    ),
    gauge(
      'upstream_relaying',
      '1 while an upstream accepts deliveries, 0 while they wait for it.',
      perUpstream(({ state }) => (state === 'idle' || state === 'relaying' ? 1 : 0)),
    ),
  ]
}

const rolesMetric = (roles: readonly Role[]): Metric =>
  gauge(
    'role',
    '1 for each role of WAYSTATION_ROLES that this collector has.',
    ROLES.map((role) => ({ labels: { role }, value: roles.includes(role) ? 1 : 0 })),
  )

const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'counter',
  help,
  samples,
})
const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  type: 'gauge',
  help,
  samples,
})

const knownCategory = (category: string): string => (DATA_CATEGORIES.has(category) ? category : 'other')

/** Samples with equal labels are added: several unknown categories are one. */
function textOf({ name, type, help, samples }: Metric): string {
  const sums = new Map<string, number>()
  for (const { labels, value } of samples) {
    const text = labelsText(labels)
    sums.set(text, (sums.get(text) ?? 0) + value)
  }
  const lines = [...sums].map(([labels, value]) => `waystation_${name}${labels} ${value}`)
  return [`# HELP waystation_${name} ${help}`, `# TYPE waystation_${name} ${type}`, ...lines].join('\n')
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, '_')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
