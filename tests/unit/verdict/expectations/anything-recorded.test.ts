import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../../../lib/verdict/evidence/evidence'
import { explainMissing } from '../../../../lib/verdict/expectations/explain'
import { itemsOfKind, KINDS } from '../../../../lib/verdict/expectations/kinds'
import { parseSpanPattern } from '../../../../lib/verdict/expectations/span-pattern'
import { matchSpanTree } from '../../../../lib/verdict/expectations/span-tree'
import { traceIdsOf, traceOf, tracesOf, traceText } from '../../../../lib/verdict/expectations/trace'
import { RULES } from '../../../../lib/verdict/rules/registry'
import { evidenceOf, TRACE } from '../rules/sample-evidence'
import { report } from './sample-report'

const FOLDER = join(import.meta.dirname, '../../../fixtures/envelopes')
const captured = readdirSync(FOLDER).filter((name) => name.endsWith('.envelope'))
const BOARDS = { appUrl: 'http://localhost:3000' }

/** Is the text free of control characters? */
const PLAIN = /^[^\p{Cc}\u202a-\u202e\u2066-\u2069]*$/u
const isPlain = (text: string): boolean => text.split('\n').every((line) => PLAIN.test(line))

function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

describe.each(captured)('%s', (name) => {
  const evidence = evidenceOf({ body: readFileSync(join(FOLDER, name)) })

  it('is explained for every kind without control characters', () => {
    for (const kind of KINDS) {
      const message = explainMissing({ kind, criteria: { name: 'never sent' }, evidence, waitedMs: 1 }, BOARDS)
      expect(isPlain(message)).toBe(true)
      expect(message.includes('nearest: ')).toBe(itemsOfKind(evidence, kind).length > 0)
    }
  })

  it('is drawn with one line per span and error', () => {
    for (const id of traceIdsOf(evidence)) {
      const trace = traceOf(evidence, id)
      if (trace === null) throw new TypeError(`no trace ${id} in the evidence`)
      const text = traceText(trace, { mostSpans: 1000 })
      expect(isPlain(text)).toBe(true)
      expect(text.split('\n')).toHaveLength(1 + trace.spans.length + trace.events.length)
      expect(matchSpanTree(trace, '*', BOARDS).verdict.verdict === 'pass').toBe(trace.spans.length > 0)
    }
  })

  it('gives the same trace by id and in the list of all traces', () => {
    expect(tracesOf(evidence)).toEqual(traceIdsOf(evidence).map((id) => traceOf(evidence, id)))
  })

  it('is checked without an exception', () => {
    const { from, judged } = report(
      RULES,
      { preset: 'contract', budgets: { items: 1, bytes: 1, spans: 1, errors: 0, durations: { '*': { p95: 1 } } } },
      {},
      {
        evidence,
        requests: null,
        fallbacks: null,
        pageLimits: null,
        collectorUrl: null,
      },
    )
    expect(from.submissions).toBe(1)
    expect(judged).toHaveLength(RULES.length + 6)
  })
})

it('traceText draws each span once for random parents with cycles', () => {
  const random = seeded(3)
  const [base] = evidenceOf(containerText()).spans
  if (base === undefined) throw new TypeError('the container has no span')
  for (let round = 0; round < 200; round += 1) {
    const count = 1 + random(30)
    const spans = Array.from({ length: count }, (_, index) => ({
      ...base,
      name: `span-${index}-`,
      spanId: String(index),
      parentSpanId: random(4) === 0 ? null : String(random(count + 2)),
      startUs: random(100),
      segmentId: null,
    }))
    const evidence: Evidence = { ...evidenceOf(), spans }
    const trace = traceOf(evidence, TRACE)
    if (trace === null) throw new TypeError('the spans have no trace')
    const text = traceText(trace)
    for (const { name } of spans) expect(text.split(name)).toHaveLength(2)
    for (const { name } of spans) expect(matchSpanTree(trace, `* ${name}`, BOARDS).matched).toHaveLength(1)
  }
})

function containerText(): string {
  const span = { trace_id: TRACE, span_id: 'a'.repeat(16), name: 'x', start_timestamp: 1, end_timestamp: 2 }
  return `{}\n{"type":"span","item_count":1}\n${JSON.stringify({ items: [span] })}`
}

it('parseSpanPattern parses any text, or throws a TypeError with the position', () => {
  const random = seeded(5)
  const letters = ['a', ' ', '>', '"', '\\', '*', '\n', '\u001b', '\u202e', 'é']
  for (let round = 0; round < 5000; round += 1) {
    const pattern = Array.from(
      { length: random(random(10) === 0 ? 400 : 12) },
      () => letters[random(letters.length)],
    ).join('')
    try {
      expect(parseSpanPattern(pattern).length).toBeGreaterThan(0)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      expect(isPlain(error.message)).toBe(true)
      expect(error.message.split('\n')).toHaveLength(3)
      expect(error.message.length).toBeLessThan(1000)
    }
  }
})
