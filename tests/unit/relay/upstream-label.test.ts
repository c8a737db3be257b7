import { describe, expect, it } from 'vitest'
import { labelsOf } from '../../../collector/relay/relay'
import { pauseMessage } from '../../../collector/relay/upstream-breaker'
import { parseDsn } from '../../../lib/protocol/dsn'
import { KEYLESS, parseUpstreamAddress } from '../../../lib/protocol/upstream-address'
import { valueIn } from '../value-in'

const labels = (...dsns: readonly string[]): readonly string[] =>
  labelsOf(
    dsns.map((text) => {
      const read = valueIn(parseDsn(text))
      return read
    }),
  )

describe('the label of an upstream', () => {
  it('is host and project, without the key', () => {
    expect(labels('https://abcdef@sentry.test/2', 'https://abcdef@sentry.test/3', 'https://k@x.test/on/2')).toEqual([
      'sentry.test/2',
      'sentry.test/3',
      'x.test/on/2',
    ])
  })

  it('begins with the start of the key where two keys have the same host and project', () => {
    expect(
      labels('https://abcdef@s.test/2', 'https://bcdefg@s.test/2', 'https://k@s.test/2', 'https://k@s.test/3'),
    ).toEqual(['abcd…@s.test/2', 'bcde…@s.test/2', 'k@s.test/2', 's.test/3'])
  })

  it('marks the upstream of OpenTelemetry, and has no password', () => {
    const read = (text: string) => {
      const address = valueIn(parseUpstreamAddress(text))
      return { ...KEYLESS, address: address }
    }
    expect(labelsOf([read('https://ada:hunter2@otel.test:4318/otlp'), read('https://abcdef@s.test/2')])).toEqual([
      'otel.test:4318/otlp (OpenTelemetry)',
      's.test/2 (OpenTelemetry)',
    ])
  })

  it('has the whole key where the keys begin alike', () => {
    expect(labels('https://abcdef@s.test/2', 'https://abcdeg@s.test/2')).toEqual(['abcdef@s.test/2', 'abcdeg@s.test/2'])
  })
})

it('the terminal message of a pause is one line, also for an answer with several', () => {
  const answer = `no such\r\nproject\u001b[31m ${'x'.repeat(500)}`
  const line = pauseMessage('s.test/2', { since: 0, status: 403, answer })
  expect(line).toMatch(/^s\.test\/2 is paused: it answers 403 \(no such project \[31m x+\), which refuses the DSN/)
  expect(line).not.toMatch(/\p{C}/u)
  expect(line.length).toBeLessThan(420)
  expect(pauseMessage('s.test/2', { since: 0, status: 401, answer: null })).toMatch(
    /^s\.test\/2 is paused: it answers 401, /,
  )
})

it('the terminal message of a pause names the refused address of an endpoint that is not a DSN', () => {
  expect(pauseMessage('otel.test', { since: 0, status: 401, answer: null }, 'address')).toContain(
    'it answers 401, which refuses the address and not one envelope',
  )
})

it('the terminal message of a pause has another text at the end of the pause', () => {
  expect(pauseMessage('s.test/2', null)).toBe('s.test/2 accepts posts again; pending envelopes are relayed')
})
