import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { snippets } from '../../../dashboards/home/own-programs'
import { lastAnswerText, limitsInForce, upstreamText } from '../../../dashboards/ui/upstream-text'
import type { UpstreamState } from '../../../lib/wire/overview'
import { limitOf, upstreamOf } from './status-samples'

const upstream = upstreamOf()

const backingOff: Partial<UpstreamState> = { state: 'backing_off', pending: 4 }
const unanswered = 'It does not answer; 4 envelopes pending on disk.'
const relaying: Partial<UpstreamState> = { state: 'relaying', pending: 12, open: 3 }

it.each<[string, Partial<UpstreamState>, string, string]>([
  ['that is up to date', {}, 'up to date', 'Nothing is pending.'],
  ['that is relaying', relaying, 'relaying', '12 envelopes pending, 3 being posted.'],
  ['with a pending envelope', { pending: 1 }, 'waiting', '1 envelope pending.'],
  ['that does not answer', { ...backingOff, retryAt: 23_000 }, 'backing off', `${unanswered} Next try in 13 s.`],
  ['that is due for a retry', { ...backingOff, retryAt: 9000 }, 'backing off', `${unanswered} Next try now.`],
])('an upstream %s', (_name, state, word, detail) => {
  expect(upstreamText({ ...upstream, ...state }, 10_000)).toMatchObject({ state: word, detail })
})

it('a paused upstream shows its answer and the pending envelopes', () => {
  const paused = { since: 1, status: 401, answer: 'bad sentry key' }
  expect(upstreamText({ ...upstream, state: 'paused', pending: 1, paused, retryAt: 70_000 }, 10_000)).toMatchObject({
    state: 'paused',
    tone: 'bad',
    detail:
      'It refuses the key: answered 401, “bad sentry key”. Nothing is lost: 1 envelope waits. Next probe in 1 min.',
  })
})

it('an upstream lists deferred envelopes and dead letters', () => {
  expect(upstreamText(upstream, 0).waiting).toEqual([])
  expect(upstreamText({ ...upstream, pending: 5, deferred: 2, deadLetters: 3 }, 0).waiting).toEqual([
    { text: '2 envelopes deferred until a limit ends.', href: '/limits', name: 'Limits' },
    {
      text: '3 envelopes were refused. Send them again, or drop them.',
      href: '/deliveries?show=dead-letters',
      name: 'Dead letters',
    },
  ])
})

it('an upstream has a last answer, or the error instead', () => {
  expect(lastAnswerText(null)).toBeNull()
  expect(lastAnswerText({ at: 1, status: 429, error: null })).toBe('last answer 429')
  expect(lastAnswerText({ at: 1, status: null, error: 'ECONNREFUSED' })).toBe('last attempt failed: ECONNREFUSED')
})

describe('limits', () => {
  it('limits in force are sorted by their end, latest first', () => {
    const limit = (category: string, until: number) => limitOf({ category, until, receivedAt: 0 })
    const shown = limitsInForce([limit('error', 500), limit('span', 2000), limit('all', 3000)], 1000)
    expect(shown.map((one) => one.category)).toEqual(['all', 'span'])
  })
})

describe('a snippet', () => {
  it('the snippet of every SDK contains the DSN once, that of OpenTelemetry the address of the collector', () => {
    const dsn = 'http://local@127.0.0.1:8969/1'
    const otlp = snippets(dsn).find(({ id }) => id === 'otel')
    for (const { id, code } of snippets(dsn)) if (id !== 'otel') expect(code.split(dsn)).toHaveLength(2)
    expect(otlp?.code).toContain("OTEL_EXPORTER_OTLP_ENDPOINT='http://127.0.0.1:8969'")
    expect(snippets(dsn).map((one) => one.name)).toEqual([
      ...['Browser', 'Vite, React', 'Next', 'Node', 'OpenTelemetry', 'Python', 'Go', 'PHP', 'Any'],
    ])
  })

  it('of Next is the README’s instrumentation-client.ts, but for the tunnel and the page header that the README adds', () => {
    const dsn = 'http://local@127.0.0.1:8969/1'
    const code = snippets(dsn).find((one) => one.id === 'next')?.code ?? ''
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
    const onOneLine = (text: string) => text.replace(/\s+/g, ' ').replaceAll(', })', ' })')
    const [file, pointer] = code.split('\n\n// Tunnel')
    const withoutTunnel = onOneLine(readme)
      .replaceAll(" tunnel: '/tunnel',", '')
      .replace(/ \/\/ Names the page load: .*? transportOptions: \{.*?\} \},?/, '')
      .replaceAll(', })', ' })')
    expect(withoutTunnel).toContain(onOneLine(file ?? ''))
    expect(pointer).toContain('“Put your own app on the path”')
    expect(readme).toContain('## Put your own app on the path')
  })
})
