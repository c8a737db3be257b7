import { describe, expect, it } from 'vitest'
import type { EnvelopeItem } from '../../../lib/sdk/sdk'
import { REMEMBERED_TRACES, stampedTraces } from '../../../lib/sdk/stamped-traces'
import { clientReport, container, envelope } from './envelopes'

const event = (trace: string): EnvelopeItem =>
  [{ type: 'event' }, { event_id: 'e', contexts: { trace: { trace_id: trace, span_id: 's' } } }] as EnvelopeItem
const logs = (...traces: readonly string[]): EnvelopeItem => container(...traces.map((trace) => ({ trace_id: trace })))

function learned(...told: readonly (readonly [traceId: string, stamp: string])[]) {
  const traces = stampedTraces()
  for (const [traceId, stamp] of told) traces.learn(traceId, stamp)
  return traces
}

describe('an envelope of the server is stamped', () => {
  it('with the stamp of the trace that its event is of', () => {
    expect(learned(['a', 'mine'], ['b', 'theirs']).stampOf(envelope(event('b')))).toBe('theirs')
  })

  it('with the stamp of the trace that its spans are of, whatever traces these link to', () => {
    const linked = { span_id: 's', trace_id: 'a', links: [{ trace_id: 'b', span_id: 'x' }] }
    expect(learned(['a', 'mine'], ['b', 'theirs']).stampOf(envelope(container(linked)))).toBe('mine')
  })

  it('with the one stamp of several traces', () => {
    expect(learned(['a', 'mine'], ['b', 'mine']).stampOf(envelope(logs('a', 'b')))).toBe('mine')
  })

  it('with nothing when it tells of traces that are stamped differently', () => {
    expect(learned(['a', 'mine'], ['b', 'theirs']).stampOf(envelope(logs('a', 'b')))).toBeNull()
  })

  it('with nothing when it also tells of a trace that nobody stamped', () => {
    expect(learned(['a', 'mine']).stampOf(envelope(logs('a', 'c')))).toBeNull()
  })

  it('with nothing when two stamped its trace differently, whoever does so again', () => {
    expect(learned(['a', 'mine'], ['a', 'theirs'], ['a', 'mine']).stampOf(envelope(event('a')))).toBeNull()
  })

  it('with nothing when it is of no trace', () => {
    expect(learned(['a', 'mine']).stampOf(envelope(clientReport()))).toBeNull()
  })
})

it(`of ${REMEMBERED_TRACES} traces the stamp is known, and not of the one that was stamped longest ago`, () => {
  const traces = stampedTraces()
  for (let n = 0; n <= REMEMBERED_TRACES; n += 1) traces.learn(`t${n}`, 'mine')
  expect(traces.stampOf(envelope(event('t0')))).toBeNull()
  expect(traces.stampOf(envelope(event('t1')))).toBe('mine')
})
