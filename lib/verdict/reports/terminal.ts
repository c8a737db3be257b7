import { plural } from '../../format'
import { groupBy } from '../../group-by'
import type { Report } from '../expectations/report'
import { BROWSER_TESTS_ONLY } from '../rules/browser-requests'
import { truncate } from '../text'
import type { Boards } from '../verdict'
import {
  type Failed,
  findingTexts,
  fixedFailuresLine,
  flakyLine,
  headline,
  knownFailureLines,
  knownFailuresLine,
  oneLine,
  otherGaps,
  silentSendersLine,
  sortJudged,
  sourceSummary,
  type Unjudged,
} from './report-text'

interface TerminalOptions extends Boards {
  /** For terminals with colours; colour never carries information alone. */
  readonly colour?: boolean
  readonly width?: number
  /** The failures are written to a baseline, so the headline is no verdict. */
  readonly writing?: boolean
}

const GLYPHS = { pass: '✓', fail: '✗', warning: '!', incomplete: '?' } as const
const COLOURS = { pass: 32, fail: 31, warning: 33, incomplete: 33 } as const
const MAX_FINDINGS_OF_WARNING = 3

/** The verdict, failures with findings and links, warnings, then checks without data. Ends with a newline. */
export function terminalReport(report: Report, options: TerminalOptions): string {
  const { colour = false, width = 80, writing = false } = options
  const head = writing && report.verdict !== 'incomplete' ? '  Failures written to the baseline' : null
  const paint: Paint = (kind, text) => (colour ? `\u001b[${COLOURS[kind]}m${text}\u001b[39m` : text)
  const { failures, warnings, unjudged } = sortJudged(report)
  const known = knownFailuresLine(report)
  const fixed = fixedFailuresLine(report)
  const flaky = flakyLine(report)
  const blocks = [
    [
      ...(head === null
        ? wrap('  ', `${GLYPHS[report.verdict]} ${headline(report)}`, width).map((line) => paint(report.verdict, line))
        : [head]),
      ...report.reasons.flatMap((why) => wrap('    reason: ', oneLine(why), width)),
      ...wrap('    ', sourceSummary(report), width),
      ...(known === null ? [] : wrap('    ', known, width)),
      ...knownFailureLines(report).flatMap((line) => wrap('      - ', line, width)),
      ...(fixed === null ? [] : wrap('    ', fixed, width)),
      ...(flaky === null ? [] : wrap('    ', flaky, width)),
    ],
    ...failures.map((failed) => [
      ...title('fail', failed, width, paint),
      ...findings(failed, options, width),
      ...wrap('    fix: ', oneLine(failed.fix), width),
    ]),
    ...warnings.map((failed) => [
      ...title('warning', failed, width, paint),
      ...shortFindings(failed, options, width),
      ...wrap('    fix: ', oneLine(failed.fix), width),
    ]),
    // Without any telemetry the reasons of single checks do not help.
    report.from.submissions === 0 ? [] : withoutData(unjudged, unjudged.length < report.judged.length, width, paint),
    otherGaps(report).flatMap((gap) => wrap('  ? ', oneLine(gap), width)),
  ]
  return `\n${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

type Paint = (kind: keyof typeof COLOURS, text: string) => string

const title = (kind: 'fail' | 'warning', failed: Failed, width: number, paint: Paint): readonly string[] =>
  wrap(`  ${GLYPHS[kind]} `, `${oneLine(failed.title)} (${failed.id})`, width).map((line) => paint(kind, line))

function findings(failed: Failed, options: Boards, width: number): readonly string[] {
  const { listed, more } = findingTexts(failed, options)
  return [
    ...listed.flatMap(({ about, path, actual, expected, link, position }) => [
      ...wrap('    ', about, width),
      ...(path === null ? [] : wrap('      path      ', path, width)),
      ...wrap('      expected  ', expected, width),
      ...wrap('      actual    ', actual, width),
      ...(link === null ? [] : [`      open      ${link}`]),
      ...(position === null ? [] : [`      in        ${position}`]),
    ]),
    ...(more === 0 ? [] : [`    and ${more} more`]),
  ]
}

function shortFindings(failed: Failed, options: Boards, width: number): readonly string[] {
  const { listed, more } = findingTexts(failed, options, MAX_FINDINGS_OF_WARNING)
  return [
    ...listed.flatMap(({ about, actual, link, position }) => [
      ...wrap('    ', `${about}: ${actual}`, width),
      ...(link === null ? [] : [`      open      ${link}`]),
      ...(position === null ? [] : [`      in        ${position}`]),
    ]),
    ...(more === 0 ? [] : [`    and ${more} more`]),
  ]
}

/** If more reasons than this are listed next to results, they are shortened and shown in one block. */
const MAX_REASONS = 3
const MAX_BRIEF_CHARACTERS = 160
/** A reason that names an envelope is always shown in full, because it needs attention. */
const NAMES_ENVELOPE = /\benvelopes? \d/

/** Incomplete checks, grouped by reason: most share one. */
function withoutData(
  unjudged: readonly Unjudged[],
  hasResults: boolean,
  width: number,
  paint: Paint,
): readonly string[] {
  const listed = unjudged.filter(({ silent }) => silent === undefined)
  const reasonOf = mergedReason(listed.map(({ verdict }) => verdict.why))
  const byReason = groupBy(listed, ({ verdict }) => oneLine(reasonOf(verdict.why)))
  const isBrief = hasResults && byReason.size > MAX_REASONS
  const own = [...byReason].filter(([why]) => !isBrief || NAMES_ENVELOPE.test(why))
  const others = [...byReason].filter(([why]) => isBrief && !NAMES_ENVELOPE.test(why))
  const mark = (line: string): readonly string[] =>
    wrap('  ? ', line, width).map((wrapped) => paint('incomplete', wrapped))
  const silent = silentSendersLine(unjudged)
  return [
    ...own.flatMap(([why, checks]) => [
      ...mark(`${plural(checks.length, 'check')} incomplete: ${why}`),
      ...wrap('    ', idsOf(checks), width),
    ]),
    ...(others.length === 0 ? [] : mark(`${plural(others.flatMap(([, all]) => all).length, 'check')} incomplete`)),
    ...others
      .sort(([, some], [, more]) => more.length - some.length)
      .flatMap(([why, checks]) => wrap('    - ', `${idsOf(checks)}: ${truncate(why, MAX_BRIEF_CHARACTERS)}`, width)),
    ...(silent === null ? [] : mark(silent)),
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
