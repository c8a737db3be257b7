import * as z from 'zod'
import { nameHint } from '../config/nearest'
import { groupBy } from '../group-by'
import { hex32 } from '../protocol/ids'
import { countErrors, countSpans, evidenceData, isErrorLevel } from '../verdict/compare/count-spans'
import type { RunData } from '../verdict/compare/run-data'
import { stableName } from '../verdict/compare/stable-names'
import type { Evidence } from '../verdict/evidence/evidence'
import { lossesInWindow } from '../verdict/expectations/losses-in-window'
import { withDeadLetters } from '../wire/loss-text'
import type { Loss } from '../wire/losses'
import { isMarkName, type Mark } from '../wire/marks'
import { type Answer, cursorInput } from './answer'
import { type ComparedLoss, compareAnswer } from './compare-answer'
import { AskError, type AskSources } from './sources'
import { defineVerb } from './verb'

/** `compare`: two marks, two runs or two traces. */
export const compareVerb = defineVerb({
  name: 'compare',
  description:
    'What came, went and changed (errors, spans, durations, losses): from mark A to B with B to now, or two runs or traces.',
  input: {
    from: z.string().max(1000).describe('a mark, a trace id, or the file or folder of a run'),
    to: z.string().max(1000).optional().describe('the same; without it: before the mark with after it'),
    cursor: cursorInput,
  },
  run: async (sources, { from, to }) => {
    // Runs can be compared without a collector, unless their name could be that of a mark.
    const couldBeMark = [from, to ?? ''].some(isMarkName)
    const { marks } = couldBeMark ? await sources.client.marks(sources.signal) : { marks: [] }
    const [first, second] = [from, to].map((text) => marks.find(({ name }) => name === text) ?? null)
    if (first && (to === undefined || second)) return compareMarks(sources, first, second ?? null)
    const names = marks.map(({ name }) => name)
    const other = first || to === undefined ? (to ?? from) : from
    const noMark = `${JSON.stringify(other)} is no mark; ${names.length === 0 ? 'there are none' : nameHint(other, names)}`
    if (first || second || to === undefined)
      throw new AskError(`compare takes one or two marks, two traces or two runs: ${noMark}`)
    const read = hex32(from) !== null && hex32(to) !== null ? readTrace : readRun
    return compareAnswer({ bases: [await read(sources, from, noMark)], head: await read(sources, to, noMark) })
  },
})

async function readRun({ run }: AskSources, path: string, noMark: string): Promise<RunData> {
  try {
    return await run(path)
  } catch (error) {
    throw error instanceof AskError ? new AskError(`${error.message}. It is no trace, and ${noMark}`) : error
  }
}

async function readTrace({ client, signal }: AskSources, traceId: string): Promise<RunData> {
  const trace = await client.trace(traceId, signal)
  if (trace === null) throw new AskError(`no trace ${traceId} is stored: it is not digested yet, or was evicted`, true)
  const errors = countErrors(trace.errors.filter(({ level }) => isErrorLevel(level)))
  return { label: traceId, facts: null, traces: countSpans(trace.spans), errors, checks: [], amounts: [] }
}

/** From A to B with B to now; of one mark what arrived before it with what arrived after it. */
async function compareMarks({ recorded }: AskSources, first: Mark, second: Mark | null): Promise<Answer> {
  const split = second ?? first
  const start = second === null ? 0 : first.journal
  if (split.journal < start)
    throw new AskError(`mark ${first.name} is later than mark ${split.name}; compare ${split.name} with ${first.name}`)
  const { given, statuses, losses, gaps } = await recorded({ after: start, stamp: null })
  const firstSpans = firstSpansOf(given.evidence)
  const before = partOf(given.evidence, firstSpans, (journal) => journal <= split.journal)
  const after = partOf(given.evidence, firstSpans, (journal) => journal > split.journal)
  const lossesOf = (part: Part): readonly Loss[] => withDeadLetters(lossesInWindow(part, statuses, losses).losses)
  return compareAnswer({
    bases: [evidenceData(second === null ? `before ${first.name}` : `${first.name} to ${split.name}`, before)],
    head: evidenceData(`${split.name} to now`, after),
    envelopes: [before.envelopes.length, after.envelopes.length],
    losses: compareLosses(lossesOf(before), lossesOf(after)),
    gaps,
    since: split.name,
    exampleOf: examplesIn(after),
  })
}

type Part = Pick<Evidence, 'envelopes' | 'items' | 'events' | 'spans' | 'signals'>

/** The journal number of the first span of each trace; copies are not counted. */
function firstSpansOf({ spans }: Evidence): ReadonlyMap<string, number> {
  const first = new Map<string, number>()
  for (const { traceId, journal, copy } of spans)
    if (!copy) first.set(traceId, Math.min(journal, first.get(traceId) ?? journal))
  return first
}

/** A trace is on the side of its first span, so that none is counted twice. */
function partOf(
  { envelopes, items, events, spans, signals }: Evidence,
  firstSpans: ReadonlyMap<string, number>,
  isIn: (journal: number) => boolean,
): Part {
  const arrivedIn = ({ journal }: { readonly journal: number }): boolean => isIn(journal)
  return {
    envelopes: envelopes.filter(arrivedIn),
    items: items.filter(arrivedIn),
    events: events.filter(arrivedIn),
    spans: spans.filter(({ traceId, journal }) => isIn(firstSpans.get(traceId) ?? journal)),
    signals: signals.filter(arrivedIn),
  }
}

/** Finds TRACE/SPAN of the first span with this stable name, in a trace whose root has the other one. */
function examplesIn({ spans }: Part): (trace: string, name: string) => string | null {
  const counted = spans.filter(({ copy }) => !copy)
  const traces = groupBy(counted, ({ traceId }) => traceId)
  const roots = new Map([...traces].map(([traceId, of]) => [traceId, countSpans(of)[0]?.key]))
  return (trace, name) => {
    const found = counted.find(
      ({ traceId, service, op, name: own }) => roots.get(traceId) === trace && stableName(service, op, own) === name,
    )
    return found === undefined ? null : `${found.traceId}/${found.spanId}`
  }
}

const keyOf = ({ by, reason, category }: Loss): string => JSON.stringify([by, reason, category])

/** Losses of which both sides have another quantity. */
function compareLosses(before: readonly Loss[], after: readonly Loss[]): readonly ComparedLoss[] {
  const compared = new Map(before.map((loss) => [keyOf(loss), { ...loss, before: loss.quantity, after: 0 }]))
  for (const loss of after)
    compared.set(keyOf(loss), { ...loss, before: compared.get(keyOf(loss))?.before ?? 0, after: loss.quantity })
  return [...compared.values()].filter((one) => one.before !== one.after)
}
