import { expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { digested, postEnvelope, sharedCollector } from './collector-process'
import { errorEnvelope } from './envelopes'

const collector = sharedCollector()
const client = () => collectorClient(collector().url, fetch)

it('lists hide own telemetry, apply a query, report its wrong terms and say what they leave out', async () => {
  const card = errorEnvelope(collector().dsn, { message: 'card refused' })
  const cart = errorEnvelope(collector().dsn, { message: 'no such cart' })
  const own = errorEnvelope(collector().dsn, { message: 'own page' })
  await postEnvelope(collector(), card.body, { 'x-waystation-page': 'page-1' })
  await postEnvelope(collector(), cart.body)
  await postEnvelope(collector(), own.body, { 'x-waystation-own': '1' })
  await digested(collector(), 3)
  const ids = async (q: string) => (await client().events({ q })).events.map(({ eventId }) => eventId)
  expect(await ids('')).toEqual([cart.eventId, card.eventId])
  expect(await ids('own:show')).toEqual([own.eventId, cart.eventId, card.eventId])
  expect(await ids('own:only')).toEqual([own.eventId])
  expect(await ids('"card refused"')).toEqual([card.eventId])
  expect(await ids('-"card refused"')).toEqual([cart.eventId])
  expect(await ids('page:page-*')).toEqual([card.eventId])
  expect(await ids('level:error level:fatal -page:page-1')).toEqual([cart.eventId])

  const query = 'leve:error refused'
  const { events, problems } = await client().events({ q: query })
  expect(events.map(({ eventId }) => eventId)).toEqual([card.eventId])
  expect(problems).toMatchObject([{ at: 0, length: 10, suggestion: 'level:error' }])

  const nothing = await client().events({ filter: { level: 'fatal' } })
  expect(nothing.leftOut).toMatchObject({ own: 1, ownIsAtLeast: false, stored: 3, hidden: 2, evicted: 0 })
  expect((await client().traces({ filter: { own: 'only' } })).traces).toHaveLength(1)
  expect((await client().envelopes({ q: '-type:transaction' })).envelopes).toHaveLength(2)
})

it('counts the values of a key, and refuses others with those that are valid', async () => {
  const { values, rows, isWhole } = await client().values({ list: 'events', key: 'level' })
  expect([values, rows, isWhole]).toEqual([[{ value: 'error', count: 2 }], 3, true])
  const answer = await fetch(`${collector().url}/query/values?list=events&key=colour`)
  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ field: 'key', detail: expect.stringMatching(/^key=colour: must be one of level, /) }),
  ])
})
