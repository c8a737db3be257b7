import { plural } from '../../format'
import type { Report } from '../expectations/report'
import { BROWSER_TESTS_ONLY } from '../rules/browser-requests'
import { truncate } from '../text'
import type { Boards } from '../verdict'
import {
  type Failed,
  findingTexts,
  fixedFailuresLine,
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

export interface TerminalOptions extends Boards {
  /** Only for a terminal that shows it; nothing is told by colour alone. */
  readonly colour?: boolean
  readonly width?: number
  /** What fails is written down as known: then it is no verdict. */
  readonly writing?: boolean
}

const GLYPHS = { pass: '✓', fail: '✗', warning: '!', incomplete: '?' } as const
const COLOURS = { pass: 32, fail: 31, warning: 33, incomplete: 33 } as const
/** Warnings are told shorter than failures. */
const FINDINGS_OF_A_WARNING = 3

/**
 * A report for a terminal or a plain log: the verdict first, failures with what was seen and where it opens, then
 * warnings, then what could not be judged and why. Ends with a line end.
 */
export function terminalReport(report: Report, options: TerminalOptions): string {
  const { colour = false, width = 80, writing = false } = options
  const head = writing && report.verdict !== 'incomplete' ? '  What fails, to be known from now on' : null
  const paint: Paint = (kind, text) => (colour ? `\u001b[${COLOURS[kind]}m${text}\u001b[39m` : text)
  const { failures, warnings, unjudged } = sortJudged(report)
  const known = knownFailuresLine(report)
  const mended = fixedFailuresLine(report)
  const blocks = [
    [
      ...(head === null
        ? wrap('  ', `${GLYPHS[report.verdict]} ${headline(report)}`, width).map((line) => paint(report.verdict, line))
        : [head]),
      ...report.reasons.flatMap((why) => wrap('    because ', oneLine(why), width)),
      ...wrap('    ', sourceSummary(report), width),
      ...(known === null ? [] : wrap('    ', known, width)),
      ...knownFailureLines(report).flatMap((line) => wrap('      - ', line, width)),
      ...(mended === null ? [] : wrap('    ', mended, width)),
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
    // What each check would have needed helps nobody who recorded nothing.
    report.from.submissions === 0 ? [] : notJudged(unjudged, unjudged.length < report.judged.length, width, paint),
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
  const { told, more } = findingTexts(failed, options)
  return [
    ...told.flatMap(({ about, path, actual, expected, link, place }) => [
      ...wrap('    ', about, width),
      ...(path === null ? [] : wrap('      path      ', path, width)),
      ...wrap('      expected  ', expected, width),
      ...wrap('      actual    ', actual, width),
      ...(link === null ? [] : [`      open      ${link}`]),
      ...(place === null ? [] : [`      in        ${place}`]),
    ]),
    ...(more === 0 ? [] : [`    and ${more} more`]),
  ]
}

function shortFindings(failed: Failed, options: Boards, width: number): readonly string[] {
  const { told, more } = findingTexts(failed, options, FINDINGS_OF_A_WARNING)
  return [
    ...told.flatMap(({ about, actual, link, place }) => [
      ...wrap('    ', `${about}: ${actual}`, width),
      ...(link === null ? [] : [`      open      ${link}`]),
      ...(place === null ? [] : [`      in        ${place}`]),
    ]),
    ...(more === 0 ? [] : [`    and ${more} more`]),
  ]
}

/** Beside what was judged more reasons than these, of what nobody asked for by name, are told in one block and briefly. */
const MOST_REASONS = 3
const BRIEF_LETTERS = 160
/** A reason that names what was recorded is none of those: somebody has to look there. */
const NAMES_ENVELOPE = /\benvelopes? \d/

/** By their reason: most of what is not judged has the same one. */
function notJudged(unjudged: readonly Unjudged[], isBeside: boolean, width: number, paint: Paint): readonly string[] {
  const byReason = new Map<string, string[]>()
  const asked = unjudged.filter(({ silent }) => silent === undefined)
  const reasonOf = oneOfTests(asked.map(({ verdict }) => verdict.why))
  for (const { id, verdict } of asked) {
    const why = oneLine(reasonOf(verdict.why))
    byReason.set(why, [...(byReason.get(why) ?? []), id])
  }
  const isBrief = isBeside && byReason.size > MOST_REASONS
  const own = [...byReason].filter(([why]) => !isBrief || NAMES_ENVELOPE.test(why))
  const others = [...byReason].filter(([why]) => isBrief && !NAMES_ENVELOPE.test(why))
  const mark = (line: string): readonly string[] =>
    wrap('  ? ', line, width).map((wrapped) => paint('incomplete', wrapped))
  const silent = silentSendersLine(unjudged)
  return [
    ...own.flatMap(([why, ids]) => [
      ...mark(`${plural(ids.length, 'check')} not judged: ${why}`),
      ...wrap('    ', ids.join(', '), width),
    ]),
    ...(others.length === 0 ? [] : mark(`${plural(others.flatMap(([, ids]) => ids).length, 'check')} not judged`)),
    ...others
      .sort(([, some], [, more]) => more.length - some.length)
      .flatMap(([why, ids]) => wrap('    - ', `${ids.join(', ')}: ${truncate(why, BRIEF_LETTERS)}`, width)),
    ...(silent === null ? [] : mark(silent)),
  ]
}

/** Rules of what a browser does say what they would have seen; that it is not of this record several of them say alike. */
function oneOfTests(reasons: readonly string[]): (why: string) => string {
  const ofTests = new Set(reasons.filter((why) => why.endsWith(BROWSER_TESTS_ONLY)))
  return (why) => (ofTests.size > 1 && ofTests.has(why) ? `what they judge${BROWSER_TESTS_ONLY}` : why)
}

/**
 * Text in lines of a width, broken at spaces. A word that is longer than a line, such as an address, stays whole: half an
 * address opens nothing.
 * @param first stands before the first line; the others are indented as far.
 */
export function wrap(first: string, text: string, width: number): readonly string[] {
  const room = Math.max(20, width - first.length)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  const indent = ' '.repeat(first.length)
  return [...lines, line].map((one, index) => `${index === 0 ? first : indent}${one}`)
}
