import * as z from 'zod'
import { plural } from '../format'
import { groupBy } from '../group-by'
import type { Judged, Report } from '../verdict/expectations/report'
import type { Finding, FoundAt } from '../verdict/verdict'
import { type Answer, cursorInput, fact, joined, type Line, line, own, type Row, type Section } from './answer'
import type { Call } from './calls'
import { judge } from './judge'
import { received, verbatim } from './received'
import { defineVerb } from './verb'

/** Findings of one check that an answer shows. */
const MOST_FINDINGS = 5

/** `check`: the verdict on the recording with causes and fixes, as `waystation check`. */
export const checkVerb = defineVerb({
  name: 'check',
  description: 'Judge what was recorded: pass, fail or incomplete, with causes first, and how to fix them.',
  input: {
    since: z.string().max(200).optional().describe('only what arrived after this: see status'),
    stamp: z.string().max(64).optional().describe('only the telemetry of a test with this stamp'),
    cursor: cursorInput,
  },
  run: async (sources, { since, stamp = null }) => {
    const after = since === undefined ? null : await sources.journalOf(since)
    const part = await sources.recorded({ after, stamp })
    return checkAnswer(await judge(sources, part, stamp), since === undefined ? {} : { since })
  },
})

/** The answer about a report. @param args of the calls that read the same part */
export function checkAnswer(report: Report, args: Call['args']): Answer {
  const { verdict, reasons, judged, from, known, flaky } = report
  const failed = judged.filter((one) => one.verdict.verdict === 'fail')
  const causes = failed.filter(({ follows }) => follows === undefined)
  const of = (severity: Judged['severity']): readonly Judged[] => causes.filter((one) => one.severity === severity)
  const passed = judged.filter((one) => one.verdict.verdict === 'pass').length
  const silent = judged.filter((one) => one.verdict.verdict === 'incomplete')
  const first = causes.flatMap(findingsOf).find(({ at }) => at !== null)
  return {
    heading: own(`Check: ${verdict}`),
    verdict,
    sections: [
      {
        heading: null,
        rows: [
          joined([
            own(plural(from.submissions, 'envelope')),
            own(plural(of('error').length, 'failed check')),
            of('warning').length === 0 ? null : own(plural(of('warning').length, 'warning')),
            own(`${passed} passed`),
            silent.length === 0 ? null : own(`${silent.length} without data`),
            known === 0 ? null : own(plural(known, 'known failure')),
          ]),
          ...reasons.map((reason) => line`incomplete: ${received('reason', reason)}`),
          ...flaky.map(({ test, attempt }) => line`flaky: ${received('test', test)} passed at retry ${attempt}`),
        ],
      },
      ...of('error').map((one) => sectionOf(one, 'Failed')),
      ...of('warning').map((one) => sectionOf(one, 'Warning')),
      {
        heading: 'Follow from these',
        rows: failed.flatMap(({ title, id, follows }) =>
          follows === undefined ? [] : [line`${own(`${title} (${id})`)}: ${received('follows', follows)}`],
        ),
      },
    ],
    next: [
      ...(first?.at ? [callFor(first.at)] : []),
      ...(causes.some(({ group }) => group === 'losses') ? [{ verb: 'explain', args: {} }] : []),
      ...(from.submissions === 0 ? [{ verb: 'explain', args: {} }] : [{ verb: 'status', args }]),
    ],
  }
}

const findingsOf = ({ verdict }: Judged): readonly Finding[] => (verdict.verdict === 'fail' ? verdict.findings : [])

function sectionOf(judged: Judged, word: string): Section {
  const alike = [...groupBy(findingsOf(judged), alikeKey).values()]
  return {
    heading: `${word}: ${judged.title} (${judged.id})`,
    rows: [
      ...alike
        .slice(0, MOST_FINDINGS)
        .flatMap(([first, ...others]) => (first ? findingRows(first, others.length) : [])),
      line`fix: ${own(judged.fix)}`,
    ],
    leftOut: { count: alike.length - MOST_FINDINGS, noun: 'finding', call: null },
  }
}

/** Findings that differ only in their place are shown once. */
const alikeKey = ({ about, actual, expected, path, test }: Finding): string =>
  JSON.stringify([about, actual, expected, path, test])

/** @param others the number of findings that are alike */
function findingRows({ about, actual, expected, at, test, frame, path }: Finding, others: number): readonly Row[] {
  const details: readonly (Line | null)[] = [
    fact('expected', received('expected', expected)),
    fact('in', path === '' ? null : received('path', path)),
    fact('line', frame ? verbatim(`${frame.file}:${frame.line}`) : null),
    fact('test', test ? received('test', test) : null),
    fact(
      'found in',
      at === null ? null : joined([own(`envelope ${at.seq}`), at.eventId ? own(at.eventId) : null, traceOf(at)]),
    ),
  ]
  return [
    joined([
      joined([received('about', about), received('actual', actual)], ': '),
      others === 0 ? null : own(`${others + 1} times, this is the first`),
    ]),
    ...details.flatMap((detail) => (detail === null ? [] : [{ ...detail, depth: 1 }])),
  ]
}

const traceOf = ({ traceId, spanId }: FoundAt): Line | null =>
  traceId ? own(spanId ? `${traceId}/${spanId}` : traceId) : null

/** The call that shows where a finding was found. */
const callFor = ({ eventId, traceId, seq }: FoundAt): Call => ({
  verb: 'get',
  args: { id: eventId ?? traceId ?? String(seq) },
})
