import { describe, expect, it } from 'vitest'
import { traceOf, traceText } from '../../../../lib/verdict/expectations/trace'
import { BEGIN_S, drawn, eventOf, evidenceOf, TRACE, transactionOf } from '../rules/sample-evidence'

const PAGE = transactionOf(
  drawn(`
  pageload /chekout            ============
    http.client GET /api/cart     ===
    http.client GET /api/user     ==
`),
)

describe('a trace as text', () => {
  it('is a tree with durations, services, error statuses and errors', () => {
    const browser = transactionOf(
      drawn(`
  pageload /checkout            ============
    http.client GET /api/cart     =======
    ui.paint LCP                      |
`),
    )
    const server = transactionOf(
      drawn(`
  http.server GET /api/cart     ====
    db SELECT 1                  =
`),
      { service: 'server', ids: 'c', parentSpanId: '0000000000000002', aheadMs: 200 },
    ).replace('"description":"SELECT 1"', '"status":"deadline_exceeded","description":"SELECT 1"')
    const error = eventOf({ contexts: { trace: { trace_id: TRACE, span_id: 'c000000000000002' } }, timestamp: BEGIN_S })
    const trace = traceOf(evidenceOf(browser, server, error), TRACE)
    if (trace === null) throw new TypeError('the trace is unknown')
    expect(traceText(trace)).toBe(
      `trace ${TRACE} · 5 spans · browser, server · 1 error
pageload /checkout                1.20 s  browser
├─ http.client GET /api/cart      700 ms  browser
│  └─ http.server GET /api/cart   400 ms  server
│     └─ db SELECT 1              100 ms  server  deadline_exceeded
│        ! Error: boom
└─ ui.paint LCP                     0 ms  browser`,
    )
  })

  it('marks a span outside its parent, unless it is a page load', () => {
    const server = transactionOf(drawn('  http.server GET /cart  ==='), { service: 'server', ids: 'c', aheadMs: 200 })
    const below = (op: string): string =>
      transactionOf(drawn(`  ${op} /cart  =====`), { parentSpanId: 'c000000000000001' })
    const text = (op: string): string => {
      const trace = traceOf(evidenceOf(server, below(op)), TRACE)
      return trace === null ? 'the trace is unknown' : traceText(trace)
    }
    expect(text('navigation')).toMatch(/browser {2}\(outside its parent: clock skew, or the parent did not wait\)$/)
    expect(text('pageload')).toMatch(/browser$/)
  })

  it('draws the first spans of a large trace and counts the rest', () => {
    const rows = Array.from({ length: 30 }, (_, index) => `    db SELECT ${index}  =`).join('\n')
    const trace = traceOf(evidenceOf(transactionOf(drawn(`  pageload /a  ====\n${rows}`))), TRACE)
    if (trace === null) throw new TypeError('the trace is unknown')
    const lines = traceText(trace, { mostSpans: 10 }).split('\n')
    expect(lines).toHaveLength(12)
    expect(lines.at(-1)).toBe('and 21 more spans')
  })

  it('is not available for an unknown trace id', () => {
    expect(traceOf(evidenceOf(PAGE), 'f'.repeat(32))).toBeNull()
    expect(traceOf(evidenceOf(PAGE), 'no id')).toBeNull()
  })

  it('prefers originals over copies', () => {
    const onPath = PAGE.replaceAll('/chekout', '/checkout')
    const trace = traceOf(evidenceOf(onPath, { body: PAGE, endpoint: 'stream' }), TRACE)
    expect(trace?.spans.map(({ name }) => name)).toEqual(['/checkout', 'GET /api/cart', 'GET /api/user'])
    expect(trace?.segments).toHaveLength(1)
  })
})
