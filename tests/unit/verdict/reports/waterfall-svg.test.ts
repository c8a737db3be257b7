import { describe, expect, it } from 'vitest'
import { nodesOf } from '../../../../lib/protocol/trace/span-tree'
import { type Trace, traceOf, traceText } from '../../../../lib/verdict/expectations/trace'
import { waterfallPicture, waterfallSvg } from '../../../../lib/verdict/reports/waterfall-svg'
import { BEGIN_S, drawn, evidenceOf, TRACE, transactionOf } from '../rules/sample-evidence'

type DrawnSpans = ReturnType<typeof drawn>
function traceFrom(spans: DrawnSpans): Trace {
  const trace = traceOf(evidenceOf(transactionOf(spans)), TRACE)
  if (trace === null) throw new TypeError('the drawing has no span')
  return trace
}
const pictureOf = ({ traceId, roots, events }: Trace): string =>
  waterfallPicture({ name: `trace ${traceId}`, spans: nodesOf(roots), errors: events })

const texts = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text)
const bars = (svg: string) =>
  [...svg.matchAll(/<rect class="(bar(?: s\d)?|bar bad)" x="([\d.]+)" y="\d+" width="([\d.]+)"/g)].map(
    ([, name, x, width]) => ({
      isBad: name === 'bar bad',
      x: Number(x),
      width: Number(width),
    }),
  )

const CHECKOUT = traceFrom(
  drawn(`
    pageload /checkout        ==========
      http.client GET /api      ====
  `),
)
const [ROOT] = CHECKOUT.roots
if (ROOT === undefined) throw new TypeError('no root')
const many = (count: number) => ({ name: 'many', spans: Array.from({ length: count }, () => ROOT), errors: [] })

describe('a waterfall', () => {
  it('shows spans in tree order with durations, under the facts of the trace', () => {
    const [facts, ...rows] = texts(pictureOf(CHECKOUT))
    expect(facts).toMatch(new RegExp(`^trace ${TRACE} · 2 spans · 0 errors · `))
    expect(rows.slice(0, 2)).toEqual(['pageload /checkout', 'http.client GET /api'])
    for (const duration of rows.slice(2)) expect(duration).toMatch(/^[\d.]+ m?s$/)
  })

  it('draws each span at its time and length', () => {
    const [whole, part] = bars(pictureOf(CHECKOUT))
    expect((part?.width ?? 0) / (whole?.width ?? 1)).toBeCloseTo(0.4, 1)
    expect(((part?.x ?? 0) - (whole?.x ?? 0)) / (whole?.width ?? 1)).toBeCloseTo(0.2, 1)
  })

  it('marks spans with a failed status or an error', () => {
    const [, child] = nodesOf(CHECKOUT.roots)
    if (child === undefined) throw new TypeError('no child')
    const failed = { ...ROOT, span: { ...ROOT.span, status: 'internal_error' } }
    const svg = waterfallSvg({ name: 'x', spans: [failed, child], errors: [{ spanId: child.span.spanId }] })
    expect(texts(svg).slice(0, 2)).toEqual(['✗ pageload /checkout', '✗ http.client GET /api'])
    expect(bars(svg).map(({ isBad }) => isBad)).toEqual([true, true])
    expect(bars(pictureOf(CHECKOUT)).map(({ isBad }) => isBad)).toEqual([false, false])
  })

  it('distinguishes services by colour and by name', () => {
    const [, child] = nodesOf(CHECKOUT.roots)
    if (child === undefined) throw new TypeError('no child')
    const other = { ...child, span: { ...child.span, service: 'server' } }
    const svg = waterfallSvg({ name: 'x', spans: [ROOT, other], errors: [] })
    expect(texts(svg).slice(0, 2)).toEqual(['browser · pageload /checkout', 'server · http.client GET /api'])
    expect(svg).toMatch(/class="bar s0".*class="bar s1"/)
  })

  it('does not stretch its axis to a span that starts in 1970, and names it', () => {
    const page = drawn(`
      pageload /checkout        ==========
        http.client GET /api      ====
        - clientComponentLoading  ====
    `)
    const wrong = (endMs: number) =>
      page.map((span) =>
        span.name === 'clientComponentLoading' ? { ...span, startMs: 40_000 - BEGIN_S * 1000, endMs } : span,
      )
    for (const endMs of [42_000 - BEGIN_S * 1000, 400]) {
      const trace = traceFrom(wrong(endMs))
      const svg = pictureOf(trace)
      expect(texts(svg)[0]).toMatch(/ · 3 spans · 0 errors · 1\.\d* s$/)
      expect(texts(svg)).toContain('starts in 1970')
      expect(Math.max(...bars(svg).map(({ width }) => width))).toBe(bars(svg)[0]?.width)
      expect(traceText(trace)).toMatch(/clientComponentLoading +\? +\(starts in 1970/)
    }
  })

  it('escapes markup, control and bidi characters', () => {
    const name = '<script>alert("x")</script>&\u001b[31m\u202e\uffff'
    const svg = pictureOf({ ...CHECKOUT, roots: [{ ...ROOT, span: { ...ROOT.span, name }, children: [] }] })
    expect(svg).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;\\u001b[31m\\u202e?')
    expect(svg).not.toMatch(/<script|\p{Cc}(?<!\n)|\u202e|\uffff/u)
  })

  it('says how many spans it leaves out, of more than a function has arguments', () => {
    const svg = waterfallSvg(many(150_450))
    expect(bars(svg)).toHaveLength(300)
    expect(texts(svg)).toContain('and 150150 more spans')
  })

  it('has only its facts for a trace without spans', () => {
    expect(texts(pictureOf({ ...CHECKOUT, roots: [] }))).toEqual([`trace ${TRACE} · 0 spans · 0 errors`])
  })
})
