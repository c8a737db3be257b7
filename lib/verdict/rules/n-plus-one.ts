import { groupBy } from '../../group-by'
import { FEWEST_SEQUENTIAL, ROUNDED_US } from '../../protocol/trace/sibling-groups'
import { normaliseName } from '../../protocol/trace/span-name'
import type { SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atSpan, spanLabel, spanName } from './describe'
import { spansByTrace } from './group-spans'
import type { Rule } from './rule'

const LEAST_TOGETHER_US = 100_000

/** Spans created from browser performance entries, which are no calls: long tasks, for example, never overlap. */
const BROWSER_ENTRIES = /^(?:ui\.|resource\.|browser|mark$|measure$|paint$|longtask|pageload$|navigation$)/

/**
 * Looks for at least 5 sibling spans with the same op and name that run one after the other and take more than 100 ms
 * together. Names are compared without numbers, ids, quoted texts and value lists. Overlapping calls do not count: they do
 * not wait for each other. Spans from performance entries (`ui.*`, `resource.*`, `browser.*`, marks, paints) do not count.
 */
export const nPlusOneRule: Rule = {
  id: 'n-plus-one',
  title: 'No query or call runs once per row (N+1)',
  why: 'A loop that waits for each answer takes longer with every row; production has more rows.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'warning',
  fix: 'Use one query for all rows (a join, IN, a batch), or run the calls in parallel.',
  judge: ({ evidence }) => {
    const findings: Finding[] = []
    let judged = 0
    for (const spans of spansByTrace(evidence)) {
      judged += spans.length
      if (spans.length < FEWEST_SEQUENTIAL) continue
      for (const family of familiesOf(spans))
        if (family.length >= FEWEST_SEQUENTIAL) for (const loop of loopsIn(family)) findings.push(loopFinding(loop))
    }
    return verdictOf(judged, findings, 'No span was recorded.')
  },
}

const familiesOf = (spans: readonly SeenSpan[]): Iterable<readonly SeenSpan[]> =>
  groupBy(spans, ({ op, parentSpanId }) => (BROWSER_ENTRIES.test(op ?? '') ? null : parentSpanId)).values()

function loopsIn(family: readonly SeenSpan[]): readonly Loop[] {
  const alike = new Map<string, Map<string, SeenSpan>>()
  for (const span of family) {
    const key = `${span.op ?? ''} ${normaliseName(spanName(span))}`
    const group = alike.get(key)
    // A submission that was received twice has the same span ids.
    if (group === undefined) alike.set(key, new Map([[span.spanId, span]]))
    else group.set(span.spanId, span)
  }
  return [...alike.values()]
    .filter(({ size }) => size >= FEWEST_SEQUENTIAL)
    .flatMap((group) => rowsOf([...group.values()]))
}

interface Loop {
  readonly first: SeenSpan
  readonly spans: number
  readonly togetherUs: number
}

function rowsOf(group: readonly SeenSpan[]): readonly Loop[] {
  const loops: Loop[] = []
  let row: SeenSpan[] = []
  const close = (): void => {
    const [first] = row
    const togetherUs = row.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0)
    if (first !== undefined && row.length >= FEWEST_SEQUENTIAL && togetherUs > LEAST_TOGETHER_US)
      loops.push({ first, spans: row.length, togetherUs })
  }
  for (const span of [...group].sort((a, b) => a.startUs - b.startUs)) {
    if (span.startUs < (row.at(-1)?.endUs ?? 0) - ROUNDED_US) {
      close()
      row = []
    }
    row.push(span)
  }
  close()
  return loops
}

function loopFinding({ first, spans, togetherUs }: Loop): Finding {
  return {
    about: normaliseName(spanLabel(first)),
    at: atSpan(first),
    path: '',
    actual: `${spans} calls in a row below span ${first.parentSpanId}, ${Math.round(togetherUs / 1000)} ms in total`,
    expected: `fewer than ${FEWEST_SEQUENTIAL} in a row, or at most ${LEAST_TOGETHER_US / 1000} ms in total`,
  }
}
