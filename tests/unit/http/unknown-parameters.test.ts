import { describe, expect, it } from 'vitest'
import { type Lists, listRoutes } from '../../../collector/http/query-lists'
import { type SignalReader, signalRoutes } from '../../../collector/http/query-signals'
import { limitsNowOf } from '../dashboards/status-samples'

const nothing = async () => null
const noPage = async () => {
  throw new Error('no list is asked for')
}
const signals: SignalReader = { signals: noPage, signal: nothing, signalsOfTrace: noPage, signalCounts: noPage }
const lists: Lists = {
  reader: {
    events: noPage,
    event: nothing,
    envelopes: noPage,
    envelope: nothing,
    record: nothing,
    deliveries: noPage,
    delivery: nothing,
    breadcrumbs: noPage,
    trail: noPage,
    outcomes: noPage,
    outcomesOf: nothing,
  },
  limitsNow: async () => limitsNowOf(),
  now: () => 0,
}

const ask = async (address: string): Promise<readonly [status: number, detail: string]> => {
  const routes = listRoutes(lists).route(
    '/',
    signalRoutes(signals, () => 0),
  )
  const answer = await routes.request(address)
  return [answer.status, ((await answer.json()) as { detail: string }).detail]
}

describe('one thing is asked for', () => {
  it.each([
    ['/envelopes/1?x=1', 'there is no parameter "x" here'],
    ['/envelopes/1?raw&x=1', 'there is no parameter "x" here; known are raw'],
    ['/envelopes/1?raw&raw', 'raw is there 2 times: meant is once'],
    ['/events/1?x=1', 'there is no parameter "x" here'],
    ['/signals/log/1.0.0?x=1', 'there is no parameter "x" here'],
  ])('without parameters that nobody reads: %s', async (address, detail) => {
    expect(await ask(address)).toEqual([400, detail])
  })

  it.each(['/envelopes/1?raw', '/envelopes/1', '/signals/log/1.0.0'])('%s is looked for', async (address) => {
    expect(await ask(address)).toEqual([404, expect.stringContaining('is kept here')])
  })
})
