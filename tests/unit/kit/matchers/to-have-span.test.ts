import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { errorEnvelope, transactionEnvelope } from '../../../flow/envelopes'
import { failureLines, failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

/*
 * pageload /checkout
 * ├─ http.client GET /api/0
 * └─ http.client GET /api/1
 */
const checkout = () => transactionEnvelope(DSN, { children: 2 })

it('passes if the trace or any trace of the recording has a match', async () => {
  const [one, other] = [checkout(), transactionEnvelope(DSN, { name: '/cart', op: 'navigation' })]
  const { recording } = await recordedCase([one.body, other.body])
  expect(await recording.trace(one.traceId)).toHaveSpan({ op: 'http.client', name: /api\/1$/ })
  await expect(recording).toHaveSpan({ op: 'navigation' })
  await expect({ recording }).toHaveSpan(({ op }) => op === 'pageload')
  expect(await recording.trace(other.traceId)).not.toHaveSpan({ op: 'pageload' })
})

it('shows the nearest span, its differences, a link and the ops of the trace', async () => {
  const { recording } = await recordedCase([checkout().body])
  const trace = await recording.trace(recording.evidence().spans[0] ?? '')
  const words = [
    'the trace has no span with op "db"',
    '',
    'nearest: http.client GET /api/1 (envelope 1, item 0)',
    '  op  expected "db", got "http.client"',
    '  http://localhost:3000/traces/<trace>?span=<span>',
    '',
    'the trace has 3 spans: 2 http.client, pageload',
  ].join('\n')
  expect(await failureMessage(() => expect(trace).toHaveSpan({ op: 'db' }))).toBe(words)
  expect(await failureMessage(() => expect(recording).toHaveSpan({ op: 'db' }))).toBe(words)
})

it('shows the nearest span of all traces', async () => {
  const { recording } = await recordedCase([checkout().body, transactionEnvelope(DSN, { children: 0 }).body])
  expect(await failureLines(() => expect(recording).toHaveSpan({ op: 'db' }))).toEqual([
    'no span with op "db" arrived',
    '',
    'nearest: pageload /checkout (envelope 2, item 0)',
    '  op  expected "db", got "pageload"',
    '  http://localhost:3000/traces/<trace>?span=<span>',
    '',
    'what arrived:',
    '  4 spans: pageload /checkout, http.client GET /api/0, http.client GET /api/1',
    '  2 transactions: pageload /checkout',
  ])
})

it('explains a negated failure', async () => {
  const { recording } = await recordedCase([checkout().body])
  expect(await failureLines(() => expect(recording).not.toHaveSpan({ op: 'http.client' }))).toEqual([
    'the trace has a span with op "http.client"; expected none',
    '',
    'found: http.client GET /api/0, 10 ms (envelope 1, item 0)',
    '  http://localhost:3000/traces/<trace>?span=<span>',
  ])
})

it('is incomplete for traces with errors only', async () => {
  const error = errorEnvelope(DSN, { message: 'boom' })
  const { recording } = await recordedCase([error.body])
  const words = await failureMessage(() => expect(recording).not.toHaveSpan({ op: 'db' }))
  expect(words).toContain('no span of the trace was recorded')
  const trace = await recording.trace(recording.evidence().events[0] ?? '')
  expect(await failureMessage(() => expect(trace).not.toHaveSpan({ op: 'db' }))).toContain(
    'no span of the trace was recorded',
  )
  const { recording: both } = await recordedCase([error.body, checkout().body])
  await expect(both).not.toHaveSpan({ op: 'db' })
})

it('is incomplete without traces', async () => {
  const { recording } = await recordedCase([])
  const words = 'no trace was recorded\n\nnothing arrived'
  expect(await failureMessage(() => expect(recording).toHaveSpan({}))).toBe(words)
  expect(await failureMessage(() => expect(recording).not.toHaveSpan({}))).toBe(words)
})

it('rejects invalid arguments', async () => {
  const { recording } = await recordedCase([checkout().body])
  expect(await failureMessage(() => expect(recording).toHaveSpan(undefined as never))).toBe(
    "TypeError: criteria must be a function or a part of the item, such as { name: '/checkout' }, got nothing",
  )
  const valid = 'a trace (await telemetry.trace(…)) or a recording (telemetry)'
  expect(await failureMessage(() => expect(Promise.resolve(recording)).toHaveSpan({}))).toBe(
    `TypeError: toHaveSpan: expect() must receive ${valid}, got a promise (await it first)`,
  )
  expect(await failureMessage(() => expect(undefined).toHaveSpan({}))).toBe(
    `TypeError: toHaveSpan: expect() must receive ${valid}, got undefined`,
  )
})

it('rejects a mistyped field, also when negated', async () => {
  const { recording } = await recordedCase([transactionEnvelope(DSN).body])
  const mistyped: object = { op: 'db', attribute: { 'http.response.status_code': 500 } }
  const words = 'TypeError: criteria: unknown field attribute of span; did you mean attributes?'
  expect(await failureMessage(() => expect(recording).not.toHaveSpan(mistyped))).toBe(words)
  expect(await failureMessage(() => expect(recording).toHaveSpan(mistyped))).toBe(words)
  await expect(recording).not.toHaveSpan({ attributes: { 'http.response.status_code': 500 } })
})
