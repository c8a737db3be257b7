import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { transactionEnvelope } from '../../../flow/envelopes'
import { failureLines, failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

/*
 * pageload /checkout
 * ├─ http.client GET /api/0
 * └─ http.client GET /api/1
 */
const checkout = () => transactionEnvelope(DSN, { children: 2 })

it('passes if the trace or any trace of the recording matches', async () => {
  const one = checkout()
  const { recording } = await recordedCase([one.body, transactionEnvelope(DSN, { name: '/cart' }).body])
  const trace = await recording.trace(one.traceId)
  expect(trace).toHaveSpanTree('pageload > http.client GET /api/1')
  expect(trace).not.toHaveSpanTree('pageload /cart')
  await expect(recording).toHaveSpanTree('pageload /cart > http*')
})

it('shows the matched part, the actual spans and the trace', async () => {
  const { recording } = await recordedCase([checkout().body])
  const trace = await recording.trace(recording.evidence().spans[0] ?? '')
  const words = [
    'the trace has no pageload > db',
    '',
    'found 1 of 2: pageload /checkout',
    'expected child: db',
    'got 2 children: http.client GET /api/0, http.client GET /api/1',
    '  http://localhost:3000/traces/<trace>?span=<span>',
    '',
    'trace <trace> · 3 spans · browser',
    'pageload /checkout          1.50 s',
    '├─ http.client GET /api/0  10.0 ms',
    '└─ http.client GET /api/1  10.0 ms',
  ].join('\n')
  expect(await failureMessage(() => expect(trace).toHaveSpanTree('pageload > db'))).toBe(words)
  expect(await failureMessage(() => expect(recording).toHaveSpanTree('pageload > db'))).toBe(words)
})

it('shows the trace with the longest match', async () => {
  const { recording } = await recordedCase([transactionEnvelope(DSN, { op: 'navigation' }).body, checkout().body])
  const words = await failureMessage(() => expect(recording).toHaveSpanTree('pageload > http.client > db'))
  expect(words).toContain('found 2 of 3: pageload /checkout > http.client GET /api/0')
})

it('explains a negated failure', async () => {
  const { recording } = await recordedCase([checkout().body])
  expect(await failureLines(() => expect(recording).not.toHaveSpanTree('pageload > http.client'))).toEqual([
    'the trace has pageload > http.client; expected not to have it',
    '',
    'pageload /checkout (envelope 1, item 0)',
    '  http.client GET /api/0 (envelope 1, item 0)',
    '',
    '  http://localhost:3000/traces/<trace>?span=<span>',
  ])
})

it('rejects an invalid pattern without waiting', async () => {
  const { recording } = await recordedCase([])
  expect(await failureLines(() => expect(recording).toHaveSpanTree('pageload >'))).toEqual([
    'TypeError: a step is missing at the end; write an op such as http.client, or remove the arrow',
    '  pageload >',
    '            ^',
  ])
})

it('judges counts, durations and attributes of a trace and of a recording', async () => {
  const one = checkout()
  const { recording } = await recordedCase([one.body])
  const trace = await recording.trace(one.traceId)
  for (const received of [trace, recording]) {
    await expect(received).toHaveSpanTree('pageload > http.client[<=10ms]{2}')
    await expect(received).not.toHaveSpanTree('pageload > http.client[>10ms]')
    expect(await failureMessage(() => expect(received).toHaveSpanTree('pageload > http.client{3..}'))).toContain(
      'found 2 of http.client, expected at least 3',
    )
  }
})
