import { describe, expect, it } from 'vitest'
import { REMEMBERED_TRACES, stampedTraces } from '../../../lib/sdk/stamped-traces'
import type { EnvelopeItem } from '../../../lib/sdk/transport'
import { clientReport, container, envelope } from './envelopes'

const event = (trace: string): EnvelopeItem =>
  [{ type: 'event' }, { event_id: 'e', contexts: { trace: { trace_id: trace, span_id: 's' } } }] as EnvelopeItem
const logs = (...traces: readonly string[]): EnvelopeItem => container(...traces.map((trace) => ({ trace_id: trace })))

function learned(...told: readonly (readonly [traceId: string, stamp: string])[]) {
  const traces = stampedTraces()
  for (const [traceId, stamp] of told) traces.learn(traceId, stamp)
  return traces
}

describe('stampOf returns', () => {
  it('the stamp of the trace of its event', () => {
    expect(learned(['a', 'mine'], ['b', 'theirs']).stampOf(envelope(event('b')))).toBe('theirs')
  })

  it('the stamp of the trace of its spans; links to other traces do not count', () => {
    const linked = { span_id: 's', trace_id: 'a', links: [{ trace_id: 'b', span_id: 'x' }] }
    expect(learned(['a', 'mine'], ['b', 'theirs']).stampOf(envelope(container(linked)))).toBe('mine')
  })

  it('the stamp that several traces share', () => {
    expect(learned(['a', 'mine'], ['b', 'mine']).stampOf(envelope(logs('a', 'b')))).toBe('mine')
  })

  it('null when its traces have different stamps', () => {
    expect(learned(['a', 'mine'], ['b', 'theirs']).stampOf(envelope(logs('a', 'b')))).toBeNull()
  })

  it('null when one of its traces has no stamp', () => {
    expect(learned(['a', 'mine']).stampOf(envelope(logs('a', 'c')))).toBeNull()
  })

  it('null when its trace received two stamps, also after the first is repeated', () => {
    expect(learned(['a', 'mine'], ['a', 'theirs'], ['a', 'mine']).stampOf(envelope(event('a')))).toBeNull()
  })

  it('null when it names no trace', () => {
    expect(learned(['a', 'mine']).stampOf(envelope(clientReport()))).toBeNull()
  })
})

it(`remembers ${REMEMBERED_TRACES} traces and forgets the one that was stamped longest ago`, () => {
  const traces = stampedTraces()
  for (let n = 0; n <= REMEMBERED_TRACES; n += 1) traces.learn(`t${n}`, 'mine')
  expect(traces.stampOf(envelope(event('t0')))).toBeNull()
  expect(traces.stampOf(envelope(event('t1')))).toBe('mine')
})
