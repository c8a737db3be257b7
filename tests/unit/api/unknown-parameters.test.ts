import { expect, it } from 'vitest'
import { type ListDeps, listRoutes } from '../../../collector/api/query/lists'
import { type SignalReader, signalRoutes } from '../../../collector/api/query/signals'
import { limitsNowOf } from '../dashboards/status-samples'

const nothing = async () => null
const noPage = async () => {
  throw new Error('unexpected read of a list')
}
const signals: SignalReader = {
  signals: noPage,
  signal: nothing,
  signalsOfTrace: noPage,
  signalCounts: noPage,
  leftOut: noPage,
}
const lists: ListDeps = {
  index: {
    events: noPage,
    event: nothing,
    errors: noPage,
    errorGroup: nothing,
    envelopes: noPage,
    envelope: nothing,
    breadcrumbs: noPage,
    trail: noPage,
    leftOut: noPage,
    values: noPage,
    slow: noPage,
    programs: noPage,
  },
  record: { record: nothing, deliveries: noPage, delivery: nothing, outcomes: noPage, outcomesOf: nothing },
  limitsNow: async () => limitsNowOf(),
  mapFrames: noPage,
  groupFrames: nothing,
  now: () => 0,
  isShown: false,
}

const query = async (address: string): Promise<readonly [status: number, detail: string]> => {
  const routes = listRoutes(lists).route(
    '/',
    signalRoutes(signals, () => 0),
  )
  const answer = await routes.request(address)
  return [answer.status, ((await answer.json()) as { detail: string }).detail]
}

it.each([
  ['/envelopes/1?x=1', 'there is no parameter "x" here'],
  ['/envelopes/1?raw&x=1', 'there is no parameter "x" here; known are raw'],
  ['/envelopes/1?raw&raw', 'raw is given 2 times; give it once'],
  ['/events/1?x=1', 'there is no parameter "x" here'],
  ['/errors/1?x=1', 'there is no parameter "x" here'],
  ['/errors?sort=age', 'sort=age: must be last or count'],
  ['/events/1/frames?x=1', 'there is no parameter "x" here'],
  ['/errors/1/frames?x=1', 'there is no parameter "x" here'],
  ['/signals/log/1.0.0?x=1', 'there is no parameter "x" here'],
])('routes of one row reject an unknown parameter: %s', async (address, detail) => {
  expect(await query(address)).toEqual([400, detail])
})

it.each(['/envelopes/1?raw', '/envelopes/1', '/signals/log/1.0.0'])('routes of one row read %s', async (address) => {
  expect(await query(address)).toEqual([404, expect.stringContaining('is stored')])
})
