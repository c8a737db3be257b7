import { expect, it } from 'vitest'
import { deliveryMetricsText, metricsText } from '../../../collector/api/metrics'
import { ROLES } from '../../../lib/protocol/roles'
import { accountOf } from '../../../lib/wire/ledger-account'
import { sampleOverview } from '../cli/sample-overview'
import { EMPTY_STORAGE } from '../cli/sample-storage'
import { STORE, STORE_AWAY } from '../cli/sample-store'

const losses = (category: string, quantity: number) => ({
  ...accountOf([
    { category, entry: 'received', reason: null, quantity },
    { category, entry: 'accepted', reason: null, quantity: quantity - 1 },
    { category, entry: 'pending', reason: null, quantity: 1 },
  ]),
  now: 0,
  journal: 0,
  stamp: null,
  deadLetters: [],
  innerSpans: 0,
  sentence: '',
})

it('lists the ledger by category and outcome, in the text format of Prometheus', () => {
  const lines = metricsText(losses('error', 3), sampleOverview({}), EMPTY_STORAGE, ROLES).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      '# TYPE waystation_items_received_total counter',
      'waystation_items_received_total{category="error"} 3',
      'waystation_items_decided_total{category="error",outcome="accepted"} 2',
      'waystation_items_decided_total{category="error",outcome="invalid"} 0',
      'waystation_items_pending{category="error"} 1',
      '# TYPE waystation_disk_budget_bytes gauge',
    ]),
  )
  // A name occurs once, with help and type before its samples.
  const names = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2])
  expect(new Set(names).size).toBe(names.length)
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#')))
    expect(line).toMatch(/^waystation_[a-z_]+(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? \d+$/)
})

it('has no label of received text', () => {
  const one = losses('evil"} 1\nx', 2)
  const two = { ...one, categories: [...one.categories, ...losses('another', 5).categories] }
  const text = metricsText(two, sampleOverview({}), EMPTY_STORAGE, ROLES)
  expect(text).toContain('waystation_items_received_total{category="other"} 7')
  expect(text).not.toContain('evil')
})

it('has the roles, and without the role query only upstreams and store', () => {
  const { upstreams } = sampleOverview({})
  const role = ['{role="intake"} 1', '{role="relay"} 1', '{role="query"} 0'].map((one) => `waystation_role${one}`)
  const names = deliveryMetricsText(upstreams, STORE, ['intake', 'relay']).match(/(?<=# TYPE )\S+/g)
  expect(deliveryMetricsText(upstreams, STORE, ['intake', 'relay']).split('\n')).toEqual(expect.arrayContaining(role))
  expect(names?.filter((name) => !/^waystation_(?:store|mirror)_/.test(name))).toEqual([
    'waystation_upstream_pending_envelopes',
    'waystation_upstream_dead_letters',
    'waystation_upstream_relaying',
    'waystation_role',
  ])
  expect(names).toContain('waystation_store_up')
  expect(metricsText(losses('error', 1), sampleOverview({}), EMPTY_STORAGE, ROLES)).toContain(
    'waystation_role{role="query"} 1',
  )
})

const storeLines = (store: typeof STORE): readonly string[] =>
  metricsText(losses('error', 1), sampleOverview({}), { ...EMPTY_STORAGE, store }, ROLES)
    .split('\n')
    .filter((line) => /^waystation_(?:store|mirror)_/.test(line))

it('has the shared record: sizes, lag, lanes, batches and connections', () => {
  expect(storeLines({ ...STORE, mirror: { head: 1, missing: 1204, lagMs: 3250 } })).toEqual([
    'waystation_store_up 1',
    'waystation_store_bytes 60000000',
    'waystation_store_budget_bytes 100000000',
    'waystation_store_partitions 3',
    'waystation_store_partitions_waiting 1',
    'waystation_store_collectors 1',
    'waystation_store_lanes{owner="this"} 1',
    'waystation_store_lanes{owner="other"} 1',
    'waystation_store_lanes{owner="none"} 1',
    'waystation_mirror_lag_facts 1204',
    'waystation_mirror_lag_seconds 3.25',
    'waystation_store_batches_total 10',
    'waystation_store_batch_writes_total 45',
    'waystation_store_batches_repeated_total 1',
    'waystation_store_connections_total{use="writing"} 2',
    'waystation_store_connections_total{use="reading"} 1',
    'waystation_store_connection_failures_total{use="writing"} 1',
    'waystation_store_connection_failures_total{use="reading"} 0',
  ])
})

it('has no lag while the store is away, none without a mirror, and nothing of a record that is not shared', () => {
  expect(storeLines(STORE_AWAY)).toContain('waystation_store_up 0')
  const { mirror: _, ...intakeOnly } = STORE
  for (const store of [STORE_AWAY, intakeOnly]) expect(storeLines(store).join()).not.toContain('mirror_lag')
  expect(metricsText(losses('error', 1), sampleOverview({}), EMPTY_STORAGE, ROLES)).not.toContain('waystation_store')
})
