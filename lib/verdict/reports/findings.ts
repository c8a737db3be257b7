import { plainText } from '../../format'
import type { Boards } from '../expectations/answer'
import { linkTo, placeOf } from '../expectations/links'
import type { Judged, Report } from '../expectations/report'
import { many } from '../expectations/shown'
import type { Finding, Verdict } from '../verdict'

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
