import { describe, expect, it } from 'vitest'
import { capturedSignals, problemOf, signalOf } from './read-signals'

const SID = '971d91ca51234bf28a0b8c2722a87112'
const at = (ms: number) => new Date(Date.UTC(2026, 10, 20, 10, 0, 0, ms)).toISOString()
const session = (more: object) => ({ sid: SID, started: at(0), timestamp: at(0), errors: 0, ...more })

describe('a session', () => {
  it('is one signal, identified by its sid', () => {
    expect(capturedSignals('browser-11.8-session')).toMatchObject([
      {
        kind: 'session',
        key: SID,
        timestampUs: Date.parse('2026-11-20T10:58:13.246Z') * 1000,
        name: SID,
        level: 'ok',
        environment: 'feas',
        release: 'feas@1.0.0',
        fields: { init: true, errors: 0, status: 'ok', duration: null },
      },
    ])
  })

  it('ranks by time; at equal times start, update, end in this order', () => {
    const updates = [
      session({ init: true, status: 'ok' }),
      session({ init: false, status: 'ok', errors: 1 }),
      session({ init: false, status: 'crashed', errors: 1 }),
      session({ timestamp: at(1), status: 'ok' }),
      session({ timestamp: at(2), status: 'exited', init: true }),
    ]
    const ranks = updates.map((one) => signalOf('session', one).rank)
    expect(ranks).toEqual(ranks.toSorted((one, other) => one - other))
    expect(new Set(ranks).size).toBe(updates.length)
    expect(ranks.every(Number.isSafeInteger)).toBe(true)
  })

  it('a session without a status is ok, as in SDKs', () => {
    expect(signalOf('session', session({})).level).toBe('ok')
  })

  it('a session without a sid cannot be parsed', () => {
    expect(problemOf('session', { status: 'ok' })).toBe('the session has no sid')
  })

  it('keeps at most 200 characters of a sid', () => {
    expect(signalOf('session', session({ sid: 'x'.repeat(5000) })).key).toHaveLength(200)
  })
})

it('sessions that a server counted are one signal per count', () => {
  expect(capturedSignals('server-11.8-sessions')).toMatchObject([
    {
      kind: 'session',
      key: null,
      timestampUs: Date.parse('2026-11-20T10:58:00.000Z') * 1000,
      name: '172 exited',
      release: 'feas@1.0.0',
      fields: { exited: 172, errored: 0, crashed: 0, abnormal: null, did: null },
    },
  ])
})

it('sessions that a server counted list every status with a count', () => {
  const bucket = { started: at(0), exited: 3, errored: 0, crashed: 2, did: 'u1' }
  expect(signalOf('sessions', { aggregates: [bucket] })).toMatchObject({
    name: '3 exited, 2 crashed',
    fields: { did: 'u1' },
  })
})

it('sessions without counts cannot be parsed', () => {
  expect(problemOf('sessions', { attrs: {} })).toBe('the sessions have no aggregates')
})
