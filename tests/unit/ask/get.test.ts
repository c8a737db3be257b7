import { describe, expect, it } from 'vitest'
import { renderAnswer } from '../../../lib/ask/answer'
import { getVerb } from '../../../lib/ask/get'
import type { AskSources } from '../../../lib/ask/sources'
import { collectorClient } from '../../../lib/wire/collector-client'
import type { SignalRow } from '../../../lib/wire/signal'
import { signalIn } from '../dashboards/drawn-trace'

const TRACE = 'b'.repeat(32)

/** The answer about a trace of which only these signals are stored. */
async function answered(signals: readonly SignalRow[], args: object = {}): Promise<string> {
  const client = collectorClient('http://collector.test', async (input) =>
    new URL(String(input)).pathname === '/query/signals'
      ? Response.json({ signals, next: null, journal: 1 })
      : new Response('{}', { status: 404 }),
  )
  const signal = new AbortController().signal
  const sources: Partial<AskSources> = { client, signal, boardsUrl: 'http://boards.test' }
  const call = { verb: 'get', args: { id: TRACE, ...args } }
  const answer = await getVerb.run(sources as AskSources, call.args)
  return renderAnswer(answer, { asker: 'command', raw: false, call })
}

describe('get of a trace without spans and errors', () => {
  const logs = Array.from({ length: 12 }, (_, at) => signalIn('log', { key: `l${at}`, name: `step ${at}.` }))

  it('shows its last ten logs and its other signals, and all logs with --full', async () => {
    const text = await answered([...logs, signalIn('metric', { name: 'latency' })])
    expect(text).toContain('- no span and no error of it is stored: it was not sampled,')
    expect(text).toContain('- 12 logs · 1 other signal')
    expect(text.match(/`step \d+\.`/g)).toHaveLength(10)
    expect(text).toContain(`2 earlier logs left out; ask with \`waystation get ${TRACE} --full\``)
    expect(text).toMatch(/## Other signals\n\n- \S+ · metric · `latency`/)
    expect((await answered(logs, { full: true })).match(/`step \d+\.`/g)).toHaveLength(12)
  })

  it('is not found without any signal, and has no span to focus on', async () => {
    await expect(answered([])).rejects.toThrow(`no trace, event or error group ${TRACE} is stored`)
    await expect(answered(logs, { focus: 'c'.repeat(16) })).rejects.toThrow(
      `no span ${TRACE}/${'c'.repeat(16)} is stored`,
    )
  })
})
