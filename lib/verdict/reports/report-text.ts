import { plainText, plural } from '../../format'
import type { Judged, Report } from '../expectations/report'
import { type Boards, boardLink, type Finding, positionText, type Verdict } from '../verdict'

/** So many findings of one check are told one by one. */
const MOST_FINDINGS = 10
/** Of what came from a payload. */
const MOST_LETTERS = 500

export type Failed = Judged & { readonly verdict: Extract<Verdict, { verdict: 'fail' }> }
export type Unjudged = Judged & { readonly verdict: Extract<Verdict, { verdict: 'incomplete' }> }

/** What was judged, by what becomes of it. */
export interface Sorted {
  /** Of severity `error`. */
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

/** What is not judged for those whom it is of sent nothing, in one line; `null` where there is none. */
export function silentSendersLine(unjudged: readonly Unjudged[]): string | null {
  const senders = unjudged.flatMap(({ silent }) => silent ?? [])
  const { length } = senders
  if (length === 0) return null
  return `${plural(length, 'check')} ${length === 1 ? 'is' : 'are'} of ${[...new Set(senders)].join(' and ')}, which sent nothing`
}

/** One finding in words that are safe on one line each; a line that says nothing is `null`. */
export interface FindingText {
  readonly about: string
  readonly path: string | null
  readonly actual: string
  readonly expected: string
  /** The address that opens it. */
  readonly link: string | null
  /** Where it is in the record, where there is no board to open. */
  readonly place: string | null
}

/** The first findings, and how many more there are. */
export function findingTexts(
  { verdict }: Failed,
  boards: Boards,
  most = MOST_FINDINGS,
): { readonly told: readonly FindingText[]; readonly more: number } {
  const told = verdict.findings.slice(0, most)
  return { told: told.map((finding) => findingText(finding, boards)), more: verdict.found - told.length }
}

export const findingText = ({ about, at, path, actual, expected }: Finding, boards: Boards): FindingText => ({
  about: oneLine(about),
  path: path === '' ? null : oneLine(path),
  actual: oneLine(actual),
  expected: oneLine(expected),
  link: boardLink(at, boards),
  place: at === null || boards.appUrl !== null ? null : positionText(at),
})

/** Somebody's text on one line, of bearable length, with nothing in it that a terminal obeys. */
export function oneLine(text: string): string {
  const line = plainText(text.replaceAll(/\s+/g, ' ').trim())
  return line.length <= MOST_LETTERS ? line : `${line.slice(0, MOST_LETTERS).replace(/[\ud800-\udbff]$/, '')}…`
}

/** How a report is written into files. */
export interface ReportFileOptions extends Boards {
  /** How the program ended that sent what was judged, where that was not well, as a sentence without a full stop. */
  readonly program?: string | null
}

/** The verdict in one line. */
export function headline(report: Report): string {
  const { failures, warnings, unjudged } = sortJudged(report)
  const all = report.judged.length
  const beside = [
    ...(warnings.length === 0 ? [] : [plural(warnings.length, 'warning')]),
    ...(unjudged.length === 0 ? [] : [`${unjudged.length} not judged`]),
  ]
  const told = (head: string, more: readonly string[]) => [head, ...more].join(', ')
  if (report.verdict === 'fail') return told(`Telemetry fails: ${failures.length} of ${plural(all, 'check')}`, beside)
  const passed = all - failures.length - warnings.length - unjudged.length
  if (report.verdict === 'pass') return told(`Telemetry passes: ${passed} of ${plural(all, 'check')}`, beside)
  return told(`Telemetry is incomplete, which is no pass: ${passed} of ${plural(all, 'check')} passed`, beside)
}

/** What it was judged from, in one line. */
export function sourceSummary({ from }: Report): string {
  const stamped = from.stamp === null ? '' : ` stamped ${oneLine(from.stamp)}`
  if (from.submissions === 0) return `Nothing${stamped} was recorded`
  return `Judged from ${plural(from.submissions, 'envelope')}${stamped} with ${plural(from.items, 'item')}`
}

/** Why what was recorded is not whole, where that is not told already as what made the report incomplete. */
export const otherGaps = ({ gaps, reasons: because }: Report): readonly string[] =>
  gaps.filter((gap) => !because.includes(gap))

/** Failures that are not counted, in one line; `null` where there are none. */
export const knownFailuresLine = ({ known }: Report): string | null =>
  known === 0 ? null : `${plural(known, 'failure')} known by baseline or allowlist, not counted`

/** Entries of the baseline that are of no use any more, in one line; `null` where there are none. */
export const fixedFailuresLine = ({ fixed: { length } }: Report): string | null =>
  length === 0
    ? null
    : `${plural(length, 'entry', 'entries')} of the baseline ${length === 1 ? 'fails' : 'fail'} no more: where that is mended, write it anew with --write-baseline FILE`

/** So many of them are told one by one. */
const MOST_FORGIVEN = 10

/** What those failures are and why they are not counted, a line each. */
export function knownFailureLines({ knownFailures: forgiven }: Report): readonly string[] {
  const told = forgiven.slice(0, MOST_FORGIVEN)
  const more = forgiven.slice(MOST_FORGIVEN).reduce((sum, { count }) => sum + count, 0)
  return [
    ...told.map(
      ({ id, about, count, by }) => `${oneLine(about)}${count === 1 ? '' : `, ${count} times`} (${id}): ${oneLine(by)}`,
    ),
    ...(more === 0 ? [] : [`and ${more} more`]),
  ]
}
