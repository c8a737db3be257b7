import { expect, it } from 'vitest'
import { isLabEnvelope } from '../../../lib/sdk/lab'

const lines = (...parts: readonly unknown[]): string => parts.map((part) => JSON.stringify(part)).join('\n')
const tagged = lines({ dsn: 'd' }, { type: 'event' }, { tags: { 'waystation.lab': 'yes' } })
const streamed = lines(
  { dsn: 'd' },
  { type: 'span' },
  { items: [{ attributes: {} }, { attributes: { 'waystation.lab': { value: true, type: 'boolean' } } }] },
)

it('an envelope holds lab telemetry when its event is tagged', () => {
  expect(isLabEnvelope(tagged)).toBe(true)
})

it('an envelope holds lab telemetry when one of its spans is tagged', () => {
  expect(isLabEnvelope(streamed)).toBe(true)
})

it('an envelope holds lab telemetry when it is passed as bytes', () => {
  expect(isLabEnvelope(new TextEncoder().encode(tagged))).toBe(true)
})

it('an envelope holds no lab telemetry when nothing in it is tagged', () => {
  expect(isLabEnvelope(lines({ dsn: 'd' }, { type: 'event' }, { tags: {} }))).toBe(false)
})

it('an envelope holds no lab telemetry when only a message contains the name of the tag', () => {
  expect(isLabEnvelope(lines({ dsn: 'd' }, { type: 'event' }, { message: 'waystation.lab' }))).toBe(false)
})
