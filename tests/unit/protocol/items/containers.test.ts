import { describe, expect, it } from 'vitest'
import { capturedSignals, envelopeOf, readItems, signalOf } from './read-signals'

describe('a log', () => {
  it('is one signal per entry of its container, in the order in which they were sent', () => {
    const logs = capturedSignals('browser-11.8-logs')
    expect(logs.map((log) => [log.level, log.name])).toEqual([
      ['trace', 'a trace'],
      ['debug', 'a debug'],
      ['info', 'user u1 did 3'],
      ['warn', 'w'],
      ['error', 'e'],
      ['fatal', 'f'],
    ])
    expect(logs[1]).toMatchObject({
      kind: 'log',
      key: null,
      rank: 1_795_172_323_655_100,
      timestampUs: 1_795_172_323_655_100,
      traceId: '9058ab3ebc1848b7add8f6511e064269',
      spanId: null,
      environment: 'feas',
      release: 'feas@1.0.0',
      fields: { severityNumber: 5, sequence: 0, attributes: { k: 1 } },
    })
  })

  it('a log without any field is still a signal', () => {
    expect(signalOf('log', { items: [{}] })).toMatchObject({ name: '(no message)', level: null, timestampUs: null })
  })

  it('has null for fields of a wrong type, and keeps other fields', () => {
    const log = {
      timestamp: 'soon',
      level: 7,
      body: { a: 1 },
      trace_id: 'x',
      span_id: 'ABCDEF0123456789',
      attributes: [],
    }
    expect(signalOf('log', { items: [log] })).toMatchObject({
      timestampUs: null,
      level: '7',
      name: '(no message)',
      traceId: null,
      spanId: 'abcdef0123456789',
      fields: { attributes: {} },
    })
  })

  it('has a name of at most 1000 characters', () => {
    expect(signalOf('log', { items: [{ body: 'x'.repeat(1001) }] }).name).toHaveLength(1000)
  })

  it('a log without a container is read as the only entry', () => {
    expect(signalOf('log', { body: 'alone', level: 'info' }).name).toBe('alone')
  })
})

it('a metric is one signal per measurement of its container', () => {
  expect(capturedSignals('browser-11.8-metrics').map(({ name, fields }) => [name, fields])).toMatchObject([
    ['clicks', { type: 'counter', value: 1, unit: null, sequence: 0, attributes: { b: 'x' } }],
    ['mem', { type: 'gauge', value: 12.5, unit: 'megabyte', sequence: 1 }],
    ['lat', { type: 'distribution', value: 187, unit: 'millisecond', sequence: 2 }],
  ])
})

describe.each(['log', 'trace_metric'])('a container of %s', (type) => {
  const read = (payload: unknown) => readItems(envelopeOf(type, payload))[0]

  it('counts entries that are not objects as unreadable', () => {
    expect(read({ items: [{}, 1, null, 'x', []] })).toMatchObject({ ok: true, value: { unreadable: 4 } })
  })

  it('may be empty', () => {
    expect(read({ items: [] })).toMatchObject({ ok: true, value: { signals: [], unreadable: 0 } })
  })

  it('is refused when its items are not a list', () => {
    expect(read({ items: {} })).toEqual({ ok: false, error: 'the items of the container are not a list' })
  })

  it.each([
    ['a browser’s', { version: 2, ingest_settings: { infer_ip: 'auto' }, items: [] }, true],
    ['a server’s', { version: 2, items: [] }, false],
    ['an early one without a version', { items: [] }, null],
  ])('%s shows whether a browser sent it', (_, payload, inBrowser) => {
    expect(read(payload)).toMatchObject({ ok: true, value: { sender: { inBrowser } } })
  })
})
