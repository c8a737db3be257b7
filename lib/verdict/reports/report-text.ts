import { plainText, plural } from '../../format'
import { groupBy } from '../../group-by'
import type { RunFacts } from '../../wire/run'
import type { Judged, Report } from '../expectations/report'
import { listFirst } from '../text'
import { type Boards, boardLink, type Finding, positionText, type Verdict } from '../verdict'
import { sentenceOf } from './causes'

const MAX_FINDINGS = 10
const MAX_EXAMPLES = 3
const MAX_LINE_CHARACTERS = 500

export type Failed = Judged & { readonly verdict: Extract<Verdict, { verdict: 'fail' }> }
export type Unjudged = Judged & { readonly verdict: Extract<Verdict, { verdict: 'incomplete' }> }

interface Sorted {
  readonly failures: readonly Failed[]
  readonly warnings: readonly Failed[]
  readonly unjudged: readonly Unjudged[]
  readonly passed: number
}

export function sortJudged({ judged }: Report): Sorted {
  const failed = judged.filter((one): one is Failed => one.verdict.verdict === 'fail')
  return {
    failures: failed.filter(({ severity }) => severity === 'error'),
    warnings: failed.filter(({ severity }) => severity === 'warning'),
    unjudged: judged.filter((one): one is Unjudged => one.verdict.verdict === 'incomplete'),
    passed: judged.filter(({ verdict }) => verdict.verdict === 'pass').length,
  }
}

/** Checks incomplete because their sender sent nothing, in one line; `null` without any. */
export function silentSendersLine(unjudged: readonly Unjudged[]): string | null {
  const senders = unjudged.flatMap(({ silent }) => silent ?? [])
  const { length } = senders
  if (length === 0) return null
  return `${plural(length, 'check')} skipped: no telemetry from ${[...new Set(senders)].join(' and ')}`
}

/** The texts of equal findings, each safe to print on one line; `null` for an empty one. */
export interface FindingText {
  readonly about: string
  readonly path: string | null
  readonly actual: string
  readonly expected: string
  /** How many findings say the same. */
  readonly times: number
  /** Of the first examples that have a test, a link or a position, at most 3. */
  readonly examples: readonly Example[]
}

interface Example {
  /** Title, file and line of the test. */
  readonly test: string | null
  readonly link: string | null
  /** The position in the record, if there is no board. */
  readonly position: string | null
}

/** The findings of a check, equal ones together. @param most the number of texts @returns also how many findings they leave out */
export function findingTexts(
  { findings, found }: Pick<Failed['verdict'], 'findings' | 'found'>,
  boards: Boards,
  most = MAX_FINDINGS,
): { readonly listed: readonly FindingText[]; readonly more: number } {
  const groups = [...groupBy(findings, likeness).values()].slice(0, most)
  const left = groups.reduce((rest, { length }) => rest - length, found)
  return {
    listed: groups.flatMap(([first, ...rest]) =>
      first === undefined ? [] : groupText(first, [first, ...rest], boards),
    ),
    more: left,
  }
}

/** Category, reason and quantity of a loss that an SDK reported. */
const lossOf = ({ about, actual }: Finding): readonly string[] | null =>
  /^(.+), (.+)\n(\d+) discarded by the SDK/.exec(`${about}\n${actual}`)?.slice(1) ?? null

/** Ids and numbers of traces differ between equal findings, category and quantity between losses for one reason. */
const likeness = (one: Finding): string =>
  (lossOf(one)?.slice(1, 2) ?? [one.about, one.path, one.actual, one.expected])
    .join('\n')
    .replaceAll(/\b(?=[0-9a-f-]*\d)[0-9a-f-]{8,}\b/gi, '#')
    .replaceAll(/\b(?:envelope \d+|\d+ traces?\b)/g, '#')

/** @param group the equal findings, with the first one */
export function groupText(first: Finding, group: readonly Finding[], boards: Boards): FindingText {
  const { path, expected } = first
  const losses = group.flatMap((one) => [lossOf(one) ?? []])
  const [[, reason] = []] = losses
  const isLoss = reason !== undefined && group.length > 1
  const about = isLoss ? `${losses.map(([category]) => category).join(', ')}: ${reason}` : first.about
  const quantities = losses.map(([, , quantity]) => quantity).join(', ')
  const actual = isLoss ? first.actual.replace(/^\d+/, quantities) : first.actual
  const examples = new Map<string, Example>()
  for (const { test, at } of group) {
    const key = test || (at === null ? '' : positionText(at))
    if (key === '' || examples.has(key) || examples.size === MAX_EXAMPLES) continue
    examples.set(key, {
      test: test ? oneLine(test) : null,
      link: boardLink(at, boards),
      position: at === null || boards.appUrl !== null ? null : positionText(at),
    })
  }
  return {
    about: oneLine(about),
    path: path === '' ? null : oneLine(path),
    actual: oneLine(actual),
    expected: oneLine(expected),
    times: isLoss ? 1 : group.length,
    examples: [...examples.values()],
  }
}

/** The first line of a finding: its subject, and how often. */
export const subjectOf = ({ about, times }: FindingText): string => (times === 1 ? about : `${about}, ${times} times`)

/** The example in one phrase; empty for a finding without any. */
export const exampleText = ({ test, link, position }: Example): string =>
  [test, link ?? position].filter((text) => text !== null).join(', ')

/** A finding with its examples in one sentence. */
export const findingLine = (text: FindingText): string =>
  [
    `${subjectOf(text)}${text.path === null ? '' : `, ${text.path}`}: expected ${text.expected}, got ${text.actual}`,
    ...text.examples.map(exampleText),
  ].join(', ')

/** For a failed check that is a consequence of another one. */
export const followsText = (cause: string): string => `follows from: ${oneLine(cause)}`

export const oneLine = (text: string): string => shorten(text, MAX_LINE_CHARACTERS)

function shorten(text: string, most: number): string {
  const line = plainText(text.replaceAll(/\s+/g, ' ').trim())
  return line.length <= most ? line : `${line.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`
}

export interface ReportFileOptions extends Boards {
  /** How the checked program failed, as a sentence without a full stop; `null` if it succeeded. */
  readonly program?: string | null
}

/** How a program failed, as a sentence without a full stop; `null` if it succeeded. */
export function programFailure({ code, signal }: RunFacts['exit']): string | null {
  if (signal !== null) return `The program was ended by signal ${signal}`
  return code === 0 ? null : `The program ended with code ${code}`
}

export function headline(report: Report): string {
  const { failures, warnings, unjudged } = sortJudged(report)
  const all = report.judged.length
  const details = [
    ...(warnings.length === 0 ? [] : [plural(warnings.length, 'warning')]),
    ...(unjudged.length === 0 ? [] : [`${unjudged.length} incomplete`]),
  ]
  const line = (head: string, more: readonly string[]) => [head, ...more].join(', ')
  if (report.verdict === 'fail')
    return line(`Telemetry check failed: ${failures.length} of ${plural(all, 'check')}`, details)
  const passed = all - failures.length - warnings.length - unjudged.length
  if (report.verdict === 'pass') return line(`Telemetry check passed: ${passed} of ${plural(all, 'check')}`, details)
  return line(`Telemetry check is incomplete: ${passed} of ${plural(all, 'check')} passed`, details)
}

export const GLYPHS = { pass: '✓', fail: '✗', incomplete: '?' } as const
const MAX_LAST_LINE_CHARACTERS = 240

/**
 * The verdict with its first cause in one line, which commands print last.
 * @param program how the checked program failed, as a sentence without a full stop; `null` if it succeeded
 */
export function lastLine(report: Report, program: string | null = null): string {
  const [glyph, failed] = [GLYPHS[program === null ? report.verdict : 'fail'], program === null ? '' : `${program}. `]
  return shorten(`${glyph} ${failed}${verdictSentence(report)}`, MAX_LAST_LINE_CHARACTERS)
}

function verdictSentence(report: Report): string {
  const [failure] = sortJudged(report).failures
  const [first] = failure?.verdict.findings ?? []
  if (report.verdict === 'fail' && failure !== undefined && first !== undefined) {
    const tests = [...new Set(failure.verdict.findings.flatMap(({ test }) => test ?? []))]
    const [title] = tests
    const count = tests.length > 1 ? `${tests.length} tests; ` : ''
    const where = title === undefined ? '' : ` (${count}${title.replace(/ \([^()]*:\d+\)$/, '')})`
    return `Telemetry check failed: ${failure.follows ?? sentenceOf(first, failure)}${where}`
  }
  const [reason] = report.reasons
  return report.verdict === 'incomplete' && reason !== undefined
    ? `Telemetry check is incomplete: ${reason}`
    : headline(report)
}

export function sourceSummary({ from }: Report): string {
  const stamped = from.stamp === null ? '' : ` stamped ${oneLine(from.stamp)}`
  if (from.submissions === 0) return `No telemetry${stamped} was recorded`
  return `Checked ${plural(from.submissions, 'envelope')}${stamped} with ${plural(from.items, 'item')}`
}

export const otherGaps = ({ gaps, reasons }: Report): readonly string[] => gaps.filter((gap) => !reasons.includes(gap))

export const knownFailuresLine = ({ known }: Report): string | null =>
  known === 0 ? null : `${plural(known, 'known failure')} not counted (baseline or allowlist)`

export const fixedFailuresLine = ({ fixed: { length } }: Report): string | null =>
  length === 0
    ? null
    : `${plural(length, 'entry', 'entries')} of the baseline no longer ${length === 1 ? 'fails' : 'fail'}; update it with --write-baseline FILE`

/** Tests that passed at a retry, in one line; `null` without any. */
export function flakyLine({ flaky }: Pick<Report, 'flaky'>): string | null {
  if (flaky.length === 0) return null
  const tests = listFirst(flaky.map(({ test, attempt }) => `${oneLine(test)} (retry ${attempt})`))
  const [first] = flaky
  return flaky.length === 1 && first !== undefined
    ? `1 test passed on retry ${first.attempt} (flaky): ${oneLine(first.test)}`
    : `${flaky.length} tests passed on a retry (flaky): ${tests}`
}

/** Acknowledged warnings, and entries that match none, in at most two lines. */
export const acknowledgedLines = ({ acknowledged, unacknowledged }: Report): readonly string[] => [
  ...(acknowledged === 0 ? [] : [`${plural(acknowledged, 'warning')} acknowledged in the configuration`]),
  ...(unacknowledged.length === 0
    ? []
    : [
        `acknowledge: no warning matches ${unacknowledged.map(({ check, about }) => `${oneLine(check)} ${oneLine(about)}`).join(', ')}; remove ${unacknowledged.length === 1 ? 'it' : 'them'}`,
      ]),
]

const MAX_KNOWN_FAILURES = 10

export function knownFailureLines({ knownFailures }: Report, most = MAX_KNOWN_FAILURES): readonly string[] {
  const listed = knownFailures.slice(0, most)
  const more = knownFailures.slice(most).reduce((sum, { count }) => sum + count, 0)
  return [
    ...listed.map(
      ({ id, about, count, by }) => `${oneLine(about)}${count === 1 ? '' : `, ${count} times`} (${id}): ${oneLine(by)}`,
    ),
    ...(more === 0 ? [] : [`and ${more} more`]),
  ]
}
