import type { SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atSpan, nameOf, spanWords } from './describe'
import { spansByTrace } from './group-spans'
import type { Rule } from './rule'

const FEWEST_SIBLINGS = 5
const LEAST_TOGETHER_US = 100_000
/** SDKs round times to 0.1 ms, or to what a browser tells: two that touch do not overlap. */
const ROUNDED_US = 1_000

/** What the browser tells by itself, and nobody wrote a loop for: two long tasks, say, never overlap. */
const TOLD_BY_THE_BROWSER = /^(?:ui\.|resource\.|browser|mark$|measure$|paint$|longtask|pageload$|navigation$)/

/**
 * Judged from siblings, spans of one parent: at least 5 of the same op and name, one begun after the other had ended, that
 * take more than 100 ms together. Names are compared without numbers, ids, quoted texts and lists of values. Calls that
 * overlap are many, too, but they do not wait for each other. Spans that a browser tells by itself (`ui.*`, `resource.*`,
 * `browser.*`, marks, paints) are no calls, and are left out.
 */
export const nPlusOneRule: Rule = {
  id: 'n-plus-one',
  title: 'No query or call is made again for each row',
  why: 'A loop that waits for each answer takes longer with every row, in production more than here.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'warning',
  fix: 'Ask once for all of them (a join, IN, a batch), or ask at the same time.',
  judge: ({ evidence }) => {
    const findings: Finding[] = []
    let judged = 0
    for (const spans of spansByTrace(evidence)) {
      judged += spans.length
      if (spans.length < FEWEST_SIBLINGS) continue
      for (const family of familiesOf(spans))
        if (family.length >= FEWEST_SIBLINGS) for (const loop of loopsIn(family)) findings.push(told(loop))
    }
    return verdictOf(judged, findings, 'No span was recorded.')
  },
}

/** Calls by their parent. */
function familiesOf(spans: readonly SeenSpan[]): Iterable<readonly SeenSpan[]> {
  const families = new Map<string, SeenSpan[]>()
  for (const span of spans) {
    if (span.parentSpanId === null || TOLD_BY_THE_BROWSER.test(span.op ?? '')) continue
    const family = families.get(span.parentSpanId)
    if (family === undefined) families.set(span.parentSpanId, [span])
    else family.push(span)
  }
  return families.values()
}

/** Those of one parent that are alike and follow each other, as long as the row goes on. */
function loopsIn(family: readonly SeenSpan[]): readonly Loop[] {
  const alike = new Map<string, Map<string, SeenSpan>>()
  for (const span of family) {
    const key = `${span.op ?? ''} ${sameButForValues(nameOf(span))}`
    const group = alike.get(key)
    // A submission that came twice tells of the same spans, which are no more for that.
    if (group === undefined) alike.set(key, new Map([[span.spanId, span]]))
    else group.set(span.spanId, span)
  }
  return [...alike.values()]
    .filter(({ size }) => size >= FEWEST_SIBLINGS)
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
    if (first !== undefined && row.length >= FEWEST_SIBLINGS && togetherUs > LEAST_TOGETHER_US)
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

function told({ first, spans, togetherUs }: Loop): Finding {
  return {
    about: sameButForValues(spanWords(first)),
    at: atSpan(first),
    path: '',
    actual: `${spans} times, one after another below span ${first.parentSpanId}, ${Math.round(togetherUs / 1000)} ms together`,
    expected: `fewer than ${FEWEST_SIBLINGS} in a row, or ${LEAST_TOGETHER_US / 1000} ms together at most`,
  }
}

/** A name is compared by its first so many characters; two statements that differ later are alike here. */
const COMPARED = 2000

/** A quote that nothing closes is matched to the end and stays, so that no end is looked for twice. */
const QUOTED = /(?:'(?:[^'\\]|\\[\s\S]?|'')*('|$)|"(?:[^"\\]|\\[\s\S]?)*("|$))/g

/** In order: an id holds numbers, and a list holds what the others have left. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '?'],
  // Hex of ids: long, with a digit in it; `deadbeef` alone might be a word, and `facade` is one.
  [/\b(?=[a-f]*\d)[0-9a-f]{8,64}\b/gi, '?'],
  [/[$:@]\d{1,9}\b/g, '?'],
  [/(?<![A-Za-z_])\d+(?:\.\d+)?/g, '?'],
  [/\bin\s*\(\s*[?%][\s,?%s]*\)/gi, 'IN (?)'],
]

const NAMES = new Map<string, string>()
/** Names are the sender's words: so many of so few signs are remembered, and then all are forgotten. */
const MOST_NAMES = 2000
const LONGEST_KEPT = 500

/** A span's name without what is other each time: numbers, ids, UUIDs, quoted texts, lists of values. */
export function sameButForValues(name: string): string {
  const known = NAMES.get(name)
  if (known !== undefined) return known
  let bare = name
    .slice(0, COMPARED)
    .replace(QUOTED, (whole, single: string | undefined, double: string | undefined) =>
      single || double ? '?' : whole,
    )
  for (const [value, mark] of VALUES) bare = bare.replace(value, mark)
  if (name.length > LONGEST_KEPT) return bare
  if (NAMES.size >= MOST_NAMES) NAMES.clear()
  NAMES.set(name, bare)
  return bare
}
