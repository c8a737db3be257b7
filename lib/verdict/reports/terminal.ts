import { plural } from '../../format'
import { groupBy } from '../../group-by'
import type { Report } from '../expectations/report'
import { BROWSER_TESTS_ONLY } from '../rules/browser-requests'
import { type Boards, NO_BOARDS } from '../verdict'
import { sentenceOf } from './causes'
import {
  acknowledgedLines,
  type Failed,
  findingTexts,
  fixedFailuresLine,
  flakyLine,
  followsText,
  GLYPHS,
  headline,
  knownFailureLines,
  knownFailuresLine,
  oneLine,
  otherGaps,
  silentSendersLine,
  sortJudged,
  sourceSummary,
  subjectOf,
  type Unjudged,
} from './report-text'

interface TerminalOptions extends Boards {
  /** For terminals with colours; colour never carries information alone. */
  readonly colour?: boolean
  readonly width?: number
  /** The failures are written to a baseline, so the headline is no verdict. */
  readonly writing?: boolean
  /** Only failures and reasons. */
  readonly quiet?: boolean
}

const MARKS = { ...GLYPHS, warning: '!' } as const
const COLOURS = { pass: 32, fail: 31, warning: 33, incomplete: 33 } as const
const MAX_FINDINGS = 3
const MAX_KNOWN = 3
const MAX_GAPS = 2
/** Of all failed checks; those beyond it have one line each. The first one is always complete. */
const MAX_FAILURE_LINES = 24

/** The verdict, failures with findings and links, causes first, then warnings and checks without data. Ends with a newline. */
export function terminalReport(report: Report, options: TerminalOptions): string {
  const { colour = false, width = 80, writing = false, quiet = false } = options
  const head = writing && report.verdict !== 'incomplete' ? '  Failures written to the baseline' : null
  const paint: Paint = (kind, text) => (colour ? `\u001b[${COLOURS[kind]}m${text}\u001b[39m` : text)
  const { failures, warnings, unjudged } = sortJudged(report)
  const known = knownFailuresLine(report)
  const fixed = fixedFailuresLine(report)
  const flaky = flakyLine(report)
  const blocks = [
    [
      ...(head === null
        ? wrap('  ', `${MARKS[report.verdict]} ${headline(report)}`, width).map((line) => paint(report.verdict, line))
        : [head]),
      ...report.reasons.flatMap((why) => wrap('    reason: ', oneLine(why), width)),
      ...(quiet ? [] : wrap('    ', sourceSummary(report), width)),
      ...(known === null || quiet ? [] : wrap('    ', known, width)),
      ...(quiet ? [] : knownFailureLines(report, MAX_KNOWN).flatMap((line) => wrap('      - ', line, width))),
      ...(fixed === null || quiet ? [] : wrap('    ', fixed, width)),
      ...(flaky === null || quiet ? [] : wrap('    ', flaky, width)),
      ...(quiet ? [] : acknowledgedLines(report).flatMap((line) => wrap('    ', line, width))),
    ],
    ...failureBlocks(failures, options, width, paint),
    ...(quiet
      ? []
      : [
          warnings.flatMap((failed) => warningLines(failed, width, paint)),
          // Without any telemetry the reasons of single checks do not help.
          report.from.submissions === 0
            ? []
            : withoutData(unjudged, unjudged.length < report.judged.length, width, paint),
          gapLines(otherGaps(report), width),
        ]),
  ]
  return `\n${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

const gapLines = (gaps: readonly string[], width: number): readonly string[] => [
  ...gaps.slice(0, MAX_GAPS).flatMap((gap) => twoLines('  ? ', oneLine(gap), width)),
  ...(gaps.length > MAX_GAPS ? [`    and ${gaps.length - MAX_GAPS} more`] : []),
]

type Paint = (kind: keyof typeof COLOURS, text: string) => string

/** Failed checks with their findings; in one line each those that follow from others, and those that exceed the lines. */
function failureBlocks(
  failures: readonly Failed[],
  options: Boards,
  width: number,
  paint: Paint,
): readonly (readonly string[])[] {
  let left = MAX_FAILURE_LINES
  const whole: (readonly string[])[] = []
  const briefly: string[] = []
  for (const failed of failures) {
    const named = `${oneLine(failed.title)} (${failed.id})`
    const lines = [
      ...wrap(`  ${MARKS.fail} `, named, width).map((line) => paint('fail', line)),
      ...findings(failed, options, width),
    ]
    const fits = whole.length === 0 || lines.length <= left
    if (fits && failed.follows === undefined) {
      whole.push(lines)
      left -= lines.length
      continue
    }
    const [first] = failed.verdict.findings
    const text = failed.follows === undefined ? first && sentenceOf(first, failed) : followsText(failed.follows)
    const brief = twoLines(`  ${MARKS.fail} `, `${named}: ${oneLine(text ?? '')}`, width)
    briefly.push(...brief.map((line) => paint('fail', line)))
  }
  return [...whole, briefly]
}

const cut = (line: string, width: number): string => (line.length > width ? `${line.slice(0, width - 1)}…` : line)

/** The first finding has all its examples, the others one. Subjects of which findings say the same stand together. */
function findings(failed: Failed, options: Boards, width: number): readonly string[] {
  const { listed, more } = findingTexts(failed.verdict, options, MAX_FINDINGS)
  return [
    ...[...groupBy(listed, ({ path, expected, actual }) => [path, expected, actual].join('\n')).values()].flatMap(
      (alike) => [
        ...alike.flatMap((text) => wrap('    ', subjectOf(text), width)),
        ...alike
          .slice(0, 1)
          .flatMap(({ path, expected, actual }) => [
            ...(path === null ? [] : wrap('      path      ', path, width)),
            ...wrap('      expected  ', expected, width),
            ...wrap('      actual    ', actual, width),
          ]),
        ...alike
          .flatMap((text) => text.examples.slice(0, text === listed[0] ? undefined : 1))
          .flatMap(({ test, link, position }) => [
            ...(test === null ? [] : wrap('      test      ', test, width)),
            ...(link === null ? [] : [`      open      ${link}`]),
            ...(position === null ? [] : [`      in        ${position}`]),
          ]),
      ],
    ),
    ...(more === 0 ? [] : [`    and ${more} more`]),
    ...wrap('    fix: ', oneLine(failed.fix), width),
  ]
}

/** Wraps and cuts. */
function twoLines(first: string, text: string, width: number): readonly string[] {
  const [line = '', second, ...rest] = wrap(first, text, width)
  if (second === undefined) return [line]
  return [line, rest.length === 0 ? second : cut(`${second} ${rest.join(' ').trim()}`, width)]
}

/** At most two lines for each finding, and one for the advice. */
function warningLines(failed: Failed, width: number, paint: Paint): readonly string[] {
  const { listed, more } = findingTexts(failed.verdict, NO_BOARDS, MAX_FINDINGS)
  return [
    ...listed.flatMap((text) =>
      twoLines(`  ${MARKS.warning} `, `${subjectOf(text)}: ${text.actual} (${failed.id})`, width).map((line) =>
        paint('warning', line),
      ),
    ),
    ...(more === 0 ? [] : [`    and ${more} more`]),
    cut(`    fix: ${oneLine(failed.fix)}`, width),
  ]
}

/** A reason that names an envelope is always shown in full, because it needs attention. */
const NAMES_ENVELOPE = /\benvelopes? \d/

/** Incomplete checks in one line; grouped by reason if there are no others. */
function withoutData(
  unjudged: readonly Unjudged[],
  hasResults: boolean,
  width: number,
  paint: Paint,
): readonly string[] {
  const listed = unjudged.filter(({ silent }) => silent === undefined)
  const reasonOf = mergedReason(listed.map(({ verdict }) => verdict.why))
  const byReason = [...groupBy(listed, ({ verdict }) => oneLine(reasonOf(verdict.why)))]
  const isOwn = ([why]: (typeof byReason)[number]): boolean => !hasResults || NAMES_ENVELOPE.test(why)
  const mark = (line: string): readonly string[] =>
    wrap(`  ${MARKS.incomplete} `, line, width).map((wrapped) => paint('incomplete', wrapped))
  const others = byReason.filter((one) => !isOwn(one)).flatMap(([, checks]) => checks)
  const silent = silentSendersLine(unjudged)
  const rest = [
    ...(others.length === 0 ? [] : [`${plural(others.length, 'check')} incomplete: ${idsOf(others)}`]),
    ...(silent === null ? [] : [silent]),
  ]
  return [
    ...byReason
      .filter(isOwn)
      .flatMap(([why, checks]) => [
        ...mark(`${plural(checks.length, 'check')} incomplete: ${why}`),
        ...wrap('    ', idsOf(checks), width),
      ]),
    ...(rest.length === 0 ? [] : mark(rest.join('; '))),
  ]
}

const idsOf = (checks: readonly Unjudged[]): string => checks.map(({ id }) => id).join(', ')

/** Merges the reasons of rules that need browser tests: they differ only in their subject. */
function mergedReason(reasons: readonly string[]): (why: string) => string {
  const ofTests = new Set(reasons.filter((why) => why.endsWith(BROWSER_TESTS_ONLY)))
  return (why) => (ofTests.size > 1 && ofTests.has(why) ? `they${BROWSER_TESTS_ONLY}` : why)
}

/** A longer word stays whole, so that addresses stay clickable. The length of `first` is the indent. */
export function wrap(first: string, text: string, width: number): readonly string[] {
  const columns = Math.max(20, width - first.length)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  const indent = ' '.repeat(first.length)
  // A wrapped line may begin with `::`, which a runner of GitHub Actions would obey.
  return [...lines, line].map((one, index) => `${index === 0 ? first : indent}${one.replace(/^::/, '\\u003a:')}`)
}
