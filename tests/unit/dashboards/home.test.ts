import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { snippets } from '../../../dashboards/home/own-programs'
import { limitsInForce, lostItemsText, upstreamText } from '../../../dashboards/ui/upstream-text'
import type { UpstreamState } from '../../../lib/wire/overview'
import { limitOf, upstreamOf } from './status-samples'

const upstream = upstreamOf()

const dead = { deadLetters: 13 }
const answered = (status: number | null, error: string | null = null) => ({ last: { at: 1, status, error } })
const relaying: Partial<UpstreamState> = { state: 'relaying', pending: 12, open: 3 }
const away: Partial<UpstreamState> = { state: 'backing_off', pending: 4 }

it.each<[string, Partial<UpstreamState>, string, string]>([
  ['that is up to date', answered(200), 'up to date', 'good'],
  ['that is relaying', relaying, 'relaying', 'good'],
  ['with a pending envelope', { pending: 1 }, 'waiting', 'quiet'],
  ['that failed while relaying', { ...relaying, ...answered(500) }, 'relaying, last answer 500', 'warn'],
  ['with dead letters', { ...dead, ...answered(500) }, '13 dead letters, last answer 500', 'warn'],
  ['that accepts again', { ...dead, ...answered(200) }, '13 dead letters', 'warn'],
  ['that answered 429 last', answered(429), 'last answer 429', 'warn'],
  ['with deferred envelopes', { pending: 2, deferred: 2 }, 'waiting, 2 envelopes deferred until a limit ends', 'warn'],
  ['that does not answer', { ...away, ...answered(null) }, 'backing off, last attempt failed: no answer', 'warn'],
  [
    'whose answer could not be written',
    answered(200, 'the disk\u202e is full'),
    'last attempt failed: the disk⟨U+202E⟩ is full',
    'warn',
  ],
  ['that refuses the DSN', { state: 'paused', ...answered(401) }, 'paused, last answer 401', 'bad'],
])('an upstream %s', (_name, state, words, tone) => {
  expect(upstreamText({ ...upstream, ...state }, [], 10_000)).toEqual({ state: words, tone })
})

it('an upstream with a limit in force says so, and no other does', () => {
  const limits = [limitOf({ category: 'error', receivedAt: 0, until: 10_001 })]
  expect(upstreamText(upstream, limits, 10_000)).toEqual({ state: 'limited', tone: 'warn' })
  expect(upstreamText(upstream, limits, 10_001).tone).toBe('good')
  expect(upstreamText({ ...upstream, label: 'b/3' }, limits, 10_000).tone).toBe('good')
})

it('lost items are named with those of rate limits', () => {
  expect(
    [
      [0, 0],
      [3, 0],
      [9, 9],
      [12, 9],
    ].map(([lost = 0, limited = 0]) => lostItemsText({ lost, limited })),
  ).toEqual([null, '3 lost', '9 lost (rate limited)', '12 lost (9 rate limited)'])
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
