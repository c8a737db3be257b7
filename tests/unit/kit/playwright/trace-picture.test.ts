import { describe, expect, it } from 'vitest'
import { DRAWN_SPANS, tracePicture } from '../../../../lib/kit/playwright/attach-evidence'
import { type Trace, traceOf, traceText } from '../../../../lib/verdict/expectations/trace'
import { BEGIN_S, drawn, evidenceOf, TRACE, transactionOf } from '../../verdict/rules/sample-evidence'

function traceFrom(...came: readonly string[]): Trace {
  const trace = traceOf(evidenceOf(...came), TRACE)
  if (trace === null) throw new TypeError('the drawing tells of no trace')
  return trace
}

const texts = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text)
const bars = (svg: string) =>
  [...svg.matchAll(/<rect x="([\d.]+)" y="\d+" width="([\d.]+)" height="\d+" fill="(#\w+)"/g)].map(
    ([, x, width, colour]) => ({ x: Number(x), width: Number(width), colour }),
  )

const CHECKOUT = traceFrom(
  transactionOf(
    drawn(`
      pageload /checkout        ==========
        http.client GET /api      ====
    `),
  ),
)

describe('the picture of a trace', () => {
  it('shows spans in tree order with durations', () => {
    const [title, ...rows] = texts(tracePicture(CHECKOUT))
    expect(title).toMatch(new RegExp(`^trace ${TRACE} · 2 spans · 0 errors · `))
    expect(rows.filter((_, index) => index % 2 === 0)).toEqual(['pageload /checkout', 'http.client GET /api'])
    for (const took of rows.filter((_, index) => index % 2 === 1)) expect(took).toMatch(/^[\d.]+ m?s$/)
  })

  it('draws each span at its time and length', () => {
    const [whole, part] = bars(tracePicture(CHECKOUT))
    expect((part?.width ?? 0) / (whole?.width ?? 1)).toBeCloseTo(0.4, 1)
    expect(((part?.x ?? 0) - (whole?.x ?? 0)) / (whole?.width ?? 1)).toBeCloseTo(0.2, 1)
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
      const trace = traceFrom(transactionOf(wrong(endMs)))
      const svg = tracePicture(trace)
      expect(texts(svg)[0]).toMatch(/ · 3 spans · 0 errors · 1\.\d* s$/)
      expect(texts(svg)).toContain('starts in 1970')
      const [whole, ...rest] = bars(svg)
      expect((rest.at(-1)?.width ?? 0) / (whole?.width ?? 1)).toBeLessThanOrEqual(0.5)
      expect(traceText(trace)).toMatch(/clientComponentLoading +\? +\(starts in 1970/)
    }
  })

  it('escapes markup, control and bidi characters', () => {
    const name = '<script>alert("x")</script>&\u001b[31m\u202e\uffff'
    const svg = tracePicture({
      ...CHECKOUT,
      roots: CHECKOUT.roots.map((root) => ({ ...root, span: { ...root.span, name }, children: [] })),
    })
    expect(svg).toContain('&#60;script&#62;alert(&#34;x&#34;)&#60;/script&#62;&#38;\\u001b[31m\\u202e?')
    expect(svg).not.toMatch(/<script|\p{Cc}(?<!\n)|\u202e|\uffff/u)
  })

  it(`draws ${DRAWN_SPANS} spans, and says how many more there are`, () => {
    const [root] = CHECKOUT.roots
    if (root === undefined) throw new TypeError('no root')
    const svg = tracePicture({
      ...CHECKOUT,
      roots: Array.from({ length: DRAWN_SPANS + 7 }, () => ({ ...root, children: [] })),
    })
    expect(bars(svg)).toHaveLength(DRAWN_SPANS)
    expect(texts(svg).at(-1)).toBe('and 7 more')
  })

  it('has only a title for a trace without spans', () => {
    expect(texts(tracePicture({ ...CHECKOUT, spans: [], roots: [] }))).toEqual([`trace ${TRACE} · 0 spans · 0 errors`])
  })

  it('supports more spans than function arguments', () => {
    const [root] = CHECKOUT.roots
    const [child] = root?.children ?? []
    if (root === undefined || child === undefined) throw new TypeError('the drawing has a span below another')
    const many: Trace = { ...CHECKOUT, roots: [{ ...root, children: Array.from({ length: 150_000 }, () => child) }] }
    expect(texts(tracePicture(many)).at(-1)).toBe(`and ${150_001 - DRAWN_SPANS} more`)
  })
})
