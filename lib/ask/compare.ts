import * as z from 'zod'
import { nameHint } from '../config/nearest'
import { hex32 } from '../protocol/ids'
import { countErrors, countSpans, evidenceData, isErrorLevel } from '../verdict/compare/count-spans'
import type { RunData } from '../verdict/compare/run-data'
import type { Evidence } from '../verdict/evidence/evidence'
import { withDeadLetters } from '../wire/loss-text'
import type { Loss } from '../wire/losses'
import type { Mark } from '../wire/marks'
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
    const { marks } = await sources.client.marks(sources.signal)
    const markNamed = (text: string): Mark | null => marks.find(({ name }) => name === text) ?? null
    const [first, second] = [markNamed(from), to === undefined ? null : markNamed(to)]
    if (first !== null && (to === undefined || second !== null)) return compareMarks(sources, first, second)
    const unknown = `marks: ${
      marks.length === 0
        ? 'there are none'
        : nameHint(
            first === null ? from : (to ?? ''),
            marks.map(({ name }) => name),
          )
    }`
    if (to === undefined)
      throw new AskError(`compare requires to, unless from is a mark; ${JSON.stringify(from)} is none; ${unknown}`)
    if (first !== null || second !== null)
      throw new AskError(
        `compare requires two marks, two traces or two runs, got a mark and ${JSON.stringify(first === null ? from : to)}; ${unknown}`,
      )
    const traces = [hex32(from), hex32(to)] as const
    if (traces[0] !== null && traces[1] !== null) return compareTraces(sources, traces[0], traces[1])
    const [base, head] = await Promise.all([from, to].map((path) => readRun(sources, path, unknown)))
    if (base === undefined || head === undefined) throw new RangeError('two paths make two runs')
    return compareAnswer({ bases: [base], head })
  },
})

async function readRun({ run }: AskSources, path: string, unknown: string): Promise<RunData> {
  try {
    return await run(path)
  } catch (error) {
    throw error instanceof AskError
      ? new AskError(`${error.message}; it is no trace and no mark either (${unknown})`)
      : error
  }
}

/** From A to B with B to now; of one mark what arrived before it with what arrived after it. */
async function compareMarks({ recorded }: AskSources, first: Mark, second: Mark | null): Promise<Answer> {
  const split = second ?? first
  const start = second === null ? 0 : first.journal
  if (split.journal < start)
    throw new AskError(`mark ${first.name} is later than mark ${split.name}; compare ${split.name} with ${first.name}`)
  const all = await recorded({ after: start, stamp: null })
  const later = await recorded({ after: split.journal, stamp: null })
  const before = untilJournal(all.given.evidence, split.journal)
  const after = later.given.evidence
  return compareAnswer({
    bases: [evidenceData(second === null ? `before ${first.name}` : `${first.name} to ${split.name}`, before)],
    head: evidenceData(`${split.name} to now`, after),
    envelopes: [before.envelopes.length, after.envelopes.length],
    losses: compareLosses(withDeadLetters(all.losses), withDeadLetters(later.losses)),
    gaps: all.gaps,
    since: split.name,
  })
}

function untilJournal(evidence: Evidence, journal: number): Evidence {
  const until = <Seen extends { readonly journal: number }>(all: readonly Seen[]): readonly Seen[] =>
    all.filter((one) => one.journal <= journal)
  const { envelopes, events, spans } = evidence
  return { ...evidence, envelopes: until(envelopes), events: until(events), spans: until(spans) }
}

const keyOf = ({ by, reason, category }: Loss): string => JSON.stringify([by, reason, category])

/** The losses before the later part are those of all without those of that part, which reaches to the same end. */
function compareLosses(all: readonly Loss[], later: readonly Loss[]): readonly ComparedLoss[] {
  const after = new Map(later.map((loss) => [keyOf(loss), loss.quantity]))
  return all
    .map((loss): ComparedLoss => {
      const now = after.get(keyOf(loss)) ?? 0
      return { ...loss, before: Math.max(0, loss.quantity - now), after: now }
    })
    .filter((one) => one.before !== one.after)
}

async function compareTraces({ client, signal }: AskSources, from: string, to: string): Promise<Answer> {
  const [base, head] = await Promise.all(
    [from, to].map(async (traceId): Promise<RunData> => {
      const trace = await client.trace(traceId, signal)
      if (trace === null)
        throw new AskError(`no trace ${traceId} is stored: it is not digested yet, or was evicted`, true)
      const errors = countErrors(trace.errors.filter(({ level }) => isErrorLevel(level)))
      return { label: traceId, facts: null, traces: countSpans(trace.spans), errors, checks: [], amounts: [] }
    }),
  )
  if (base === undefined || head === undefined) throw new RangeError('two ids make two traces')
  return compareAnswer({ bases: [base], head })
}
