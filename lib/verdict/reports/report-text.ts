import { plainText } from '../../format'
import type { Judged, Report } from '../expectations/report'
import { many } from '../expectations/text'
import { type Boards, type Finding, linkTo, placeOf, type Verdict } from '../verdict'

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
export function silentOnes(unjudged: readonly Unjudged[]): string | null {
  const senders = unjudged.flatMap(({ silent }) => silent ?? [])
  const { length } = senders
  if (length === 0) return null
  return `${many(length, 'check')} ${length === 1 ? 'is' : 'are'} of ${[...new Set(senders)].join(' and ')}, which sent nothing`
}

/** One finding in words that are safe on one line each; a line that says nothing is `null`. */
export interface ToldFinding {
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
export function tellFindings(
  { verdict }: Failed,
  boards: Boards,
  most = MOST_FINDINGS,
): { readonly told: readonly ToldFinding[]; readonly more: number } {
  const told = verdict.findings.slice(0, most)
  return { told: told.map((finding) => tell(finding, boards)), more: verdict.found - told.length }
}

export const tell = ({ about, at, path, actual, expected }: Finding, boards: Boards): ToldFinding => ({
  about: inLine(about),
  path: path === '' ? null : inLine(path),
  actual: inLine(actual),
  expected: inLine(expected),
  link: linkTo(at, boards),
  place: at === null || boards.appUrl !== null ? null : placeOf(at),
})

/** Somebody's text on one line, of bearable length, with nothing in it that a terminal obeys. */
export function inLine(text: string): string {
  const line = plainText(text.replaceAll(/\s+/g, ' ').trim())
  return line.length <= MOST_LETTERS ? line : `${line.slice(0, MOST_LETTERS).replace(/[\ud800-\udbff]$/, '')}…`
}

/** How a report is written into files. */
export interface FiledOptions extends Boards {
  /** How the program ended that sent what was judged, where that was not well, as a sentence without a full stop. */
  readonly program?: string | null
}

/** The verdict in one line. */
export function headline(report: Report): string {
  const { failures, warnings, unjudged } = sortJudged(report)
  const all = report.judged.length
  const beside = [
    ...(warnings.length === 0 ? [] : [many(warnings.length, 'warning')]),
    ...(unjudged.length === 0 ? [] : [`${unjudged.length} not judged`]),
  ]
  const told = (head: string, more: readonly string[]) => [head, ...more].join(', ')
  if (report.verdict === 'fail') return told(`Telemetry fails: ${failures.length} of ${many(all, 'check')}`, beside)
  const passed = all - failures.length - warnings.length - unjudged.length
  if (report.verdict === 'pass') return told(`Telemetry passes: ${passed} of ${many(all, 'check')}`, beside)
  return told(`Telemetry is incomplete, which is no pass: ${passed} of ${many(all, 'check')} passed`, beside)
}

/** What it was judged from, in one line. */
export function judgedFrom({ from }: Report): string {
  const stamped = from.stamp === null ? '' : ` stamped ${inLine(from.stamp)}`
  if (from.submissions === 0) return `Nothing${stamped} was recorded`
  return `Judged from ${many(from.submissions, 'envelope')}${stamped} with ${many(from.items, 'item')}`
}

/** Why what was recorded is not whole, where that is not told already as what made the report incomplete. */
export const gapsBeside = ({ gaps, because }: Report): readonly string[] => gaps.filter((gap) => !because.includes(gap))

/** Failures that are not counted, in one line; `null` where there are none. */
export const knownOnes = ({ known }: Report): string | null =>
  known === 0 ? null : `${many(known, 'failure')} known by baseline or allowlist, not counted`

/** Entries of the baseline that are of no use any more, in one line; `null` where there are none. */
export const mendedOnes = ({ fixed: { length } }: Report): string | null =>
  length === 0
    ? null
    : `${many(length, 'entry', 'entries')} of the baseline ${length === 1 ? 'fails' : 'fail'} no more: where that is mended, write it anew with --write-baseline FILE`

/** So many of them are told one by one. */
const MOST_FORGIVEN = 10

/** What those failures are and why they are not counted, a line each. */
export function forgivenLines({ knownFailures: forgiven }: Report): readonly string[] {
  const told = forgiven.slice(0, MOST_FORGIVEN)
  const more = forgiven.slice(MOST_FORGIVEN).reduce((sum, { count }) => sum + count, 0)
  return [
    ...told.map(
      ({ id, about, count, by }) => `${inLine(about)}${count === 1 ? '' : `, ${count} times`} (${id}): ${inLine(by)}`,
    ),
    ...(more === 0 ? [] : [`and ${more} more`]),
  ]
}
