import { describe, expect, it } from 'vitest'
import { renderAnswer } from '../../../lib/ask/answer'
import { compareVerb } from '../../../lib/ask/compare'
import { type Compared, compareAnswer } from '../../../lib/ask/compare-answer'
import type { AskSources } from '../../../lib/ask/sources'
import { evidenceData } from '../../../lib/verdict/compare/count-spans'
import { errorEnvelope, transactionEnvelope } from '../../flow/envelopes'
import { runOf, tracesOf } from '../verdict/compare/sample-runs'
import { lossesOf } from '../verdict/expectations/sample-losses'
import { type Came, caseFrom, clientReportOf, evidenceOf } from '../verdict/rules/sample-evidence'

const DSN = 'http://k@127.0.0.1/1'

const text = (compared: Compared): string =>
  renderAnswer(compareAnswer(compared), {
    asker: 'mcp',
    raw: false,
    call: { verb: 'compare', args: { from: 'a', to: 'b' } },
  })

describe('a comparison', () => {
  it('lists what it cannot judge when a side has fewer than three traces', () => {
    const answer = text({
      bases: [runOf({ traces: tracesOf('GET /cart', 1, { 'db select': 1, cache: 2 }) })],
      head: runOf({ traces: tracesOf('GET /cart', 2, { 'db select': 5, audit: 1 }) }),
    })
    expect(answer).toMatch(/^# No judged differences, 3 listed and not judged\n/)
    expect(answer).toContain('- too few traces to judge spans: see what is listed')
    expect(answer).toContain('## Spans, listed and not judged: fewer than 3 traces a side')
    expect(answer).toContain('- came: `audit` in `GET /cart`, 1 per trace')
    expect(answer).toContain('- went: `cache` in `GET /cart`, 2 per trace')
    expect(answer).toContain('- count: `db select` in `GET /cart`, 1 per trace, now 5')
  })

  it('judges spans from three traces a side on', () => {
    const answer = text({
      bases: [runOf({ traces: tracesOf('GET /cart', 3, { 'db select': 1 }) })],
      head: runOf({ traces: tracesOf('GET /cart', 3, { 'db select': 5 }) }),
    })
    expect(answer).toMatch(/^# Differences: 1 span\n/)
    expect(answer).toContain('## Spans\n\n- count: `db select` in `GET /cart`, 1 per trace, now 5')
    expect(answer).not.toContain('listed and not judged: fewer')
  })

  it('names errors that came and went, and losses of both sides', () => {
    const loss = { by: 'sdk', reason: 'queue_overflow', category: 'error', quantity: 3 } as const
    const before = evidenceOf(errorEnvelope(DSN, { message: 'old' }).body, transactionEnvelope(DSN).body)
    const after = evidenceOf(errorEnvelope(DSN, { message: 'new' }).body, transactionEnvelope(DSN).body)
    const answer = text({
      bases: [evidenceData('a to b', before)],
      head: evidenceData('b to now', after),
      envelopes: [2, 2],
      losses: [{ ...loss, before: 1, after: 3 }],
      since: 'b',
    })
    expect(answer).toContain('before: `a to b` · 2 envelopes · 1 trace · 3 spans · 1 error')
    expect(answer).toContain('new: `browser Error: new` (1)')
    expect(answer).toContain('gone: `browser Error: old` (1)')
    expect(answer).toContain('- `error` lost by sdk: 1, now 3 (`the queue of the SDK was full`)')
    expect(answer).toContain('- `check {"since":"b"}`')
    expect(answer).not.toContain('## Spans')
  })

  it('names an example of a span that came, because names have no numbers', () => {
    const id = `${'a'.repeat(32)}/${'b'.repeat(16)}`
    const answer = text({
      bases: [runOf({ traces: tracesOf('GET /cart', 3, { 'db select': 1 }) })],
      head: runOf({ traces: tracesOf('GET /cart', 3, { 'db select': 1, 'GET *.*.*.*': 1 }) }),
      exampleOf: (trace, span) => (trace === 'GET /cart' && span === 'GET *.*.*.*' ? id : null),
    })
    expect(answer).toContain(`- came: \`GET *.*.*.*\` in \`GET /cart\`, 1 per trace, such as ${id}\n`)
    expect(answer).toContain(`- \`get {"id":"${id}"}\``)
  })

  it('has 40 differences of a kind, and counts the others', () => {
    const errors = new Map(Array.from({ length: 43 }, (_, index) => [`error ${'i'.repeat(index + 1)}`, 1]))
    const answer = text({ bases: [runOf()], head: runOf({ errors }) })
    expect(answer.match(/\n- new: /g)).toHaveLength(40)
    expect(answer).toContain('\n- 3 differences left out\n')
  })

  it('lists medians of durations that differ, however few there are', () => {
    const slow = (seconds: number) =>
      evidenceOf(transactionEnvelope(DSN).body.replace('1795000001.5', String(1_795_000_000 + seconds)))
    const answer = text({ bases: [evidenceData('a', slow(1))], head: evidenceData('b', slow(3)) })
    expect(answer).toMatch(
      /## Durations \(medians\), listed and not judged: two sides .*\n\n- `browser pageload \/checkout`: 1(\.\d+)? s, now 3(\.\d+)? s, 3\.0 times as long\n/,
    )
  })
})

/** The answer of `compare start fix` about envelopes that arrived after the mark `start`, which is at 0. */
async function comparedMarks(fix: number, ...came: readonly Came[]) {
  const reads: (number | null)[] = []
  const marks = [
    { name: 'start', journal: 0, at: 0 },
    { name: 'fix', journal: fix, at: 1 },
  ]
  const client = { marks: async () => ({ marks, most: 100 }) } as AskSources['client']
  const sources: Partial<AskSources> = {
    client,
    signal: new AbortController().signal,
    recorded: async ({ after }: { readonly after: number | null }) => {
      reads.push(after)
      const given = caseFrom(...came)
      const statuses = given.evidence.envelopes.map(({ seq }) => ({
        ...{ seq, items: [], lastDelivery: null },
        deliveryStatus: { name: 'kept' as const, reason: null },
      }))
      return { given, statuses, losses: lossesOf({}), pendingBecause: null, journal: came.length, gaps: [] }
    },
  }
  const call = { verb: 'compare', args: { from: 'start', to: 'fix' } }
  const answer = renderAnswer(await compareVerb.run(sources as AskSources, call.args), {
    asker: 'mcp',
    raw: false,
    call,
  })
  return { answer, reads }
}

describe('a comparison of marks', () => {
  it('reads the recording once, and counts what arrived on each side of the mark, with its losses', async () => {
    const { answer, reads } = await comparedMarks(
      3,
      errorEnvelope(DSN, { message: 'old' }).body,
      clientReportOf(['queue_overflow', 'error', 1], ['send_error', 'session', 2]),
      transactionEnvelope(DSN).body,
      errorEnvelope(DSN, { message: 'new' }).body,
      clientReportOf(['queue_overflow', 'error', 4], ['send_error', 'session', 2]),
    )
    expect(reads).toEqual([0])
    expect(answer).toContain('before: `start to fix` · 3 envelopes · 1 trace · 3 spans · 1 error')
    expect(answer).toContain('after: `fix to now` · 2 envelopes · 0 traces · 0 spans · 1 error')
    expect(answer).toContain('- `error` lost by sdk: 1, now 4 (`the queue of the SDK was full`)')
    expect(answer).not.toContain('`session` lost')
  })

  it('counts a trace that continues after the mark on the side of its first span', async () => {
    const traceId = 'a'.repeat(32)
    const { answer } = await comparedMarks(
      1,
      transactionEnvelope(DSN, { traceId, children: 1 }).body,
      transactionEnvelope(DSN, { traceId, children: 3 }).body,
      transactionEnvelope(DSN, { children: 1 }).body,
    )
    expect(answer).toContain('before: `start to fix` · 1 envelope · 1 trace · 6 spans · 0 errors')
    expect(answer).toContain('after: `fix to now` · 2 envelopes · 1 trace · 2 spans · 0 errors')
  })
})
