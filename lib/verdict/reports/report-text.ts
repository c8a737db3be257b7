import { plainText, plural } from '../../format'
import type { Judged, Report } from '../expectations/report'
import { listFirst } from '../text'
import { type Boards, boardLink, type Finding, positionText, type Verdict } from '../verdict'

const MAX_FINDINGS = 10
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

/** The texts of a finding, each safe to print on one line; `null` for an empty one. */
export interface FindingText {
  readonly about: string
  readonly path: string | null
  readonly actual: string
  readonly expected: string
  readonly link: string | null
  /** Its position in the record, if there is no board. */
  readonly position: string | null
}

export function findingTexts(
  { verdict }: Failed,
  boards: Boards,
  most = MAX_FINDINGS,
): { readonly listed: readonly FindingText[]; readonly more: number } {
  const listed = verdict.findings.slice(0, most)
  return { listed: listed.map((finding) => findingText(finding, boards)), more: verdict.found - listed.length }
}

export const findingText = ({ about, at, path, actual, expected }: Finding, boards: Boards): FindingText => ({
  about: oneLine(about),
  path: path === '' ? null : oneLine(path),
  actual: oneLine(actual),
  expected: oneLine(expected),
  link: boardLink(at, boards),
  position: at === null || boards.appUrl !== null ? null : positionText(at),
})

export function oneLine(text: string): string {
  const line = plainText(text.replaceAll(/\s+/g, ' ').trim())
  return line.length <= MAX_LINE_CHARACTERS
    ? line
    : `${line.slice(0, MAX_LINE_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`
}

export interface ReportFileOptions extends Boards {
  /** How the checked program failed, as a sentence without a full stop; `null` if it succeeded. */
  readonly program?: string | null
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

const MAX_KNOWN_FAILURES = 10

export function knownFailureLines({ knownFailures }: Report): readonly string[] {
  const listed = knownFailures.slice(0, MAX_KNOWN_FAILURES)
  const more = knownFailures.slice(MAX_KNOWN_FAILURES).reduce((sum, { count }) => sum + count, 0)
  return [
    ...listed.map(
      ({ id, about, count, by }) => `${oneLine(about)}${count === 1 ? '' : `, ${count} times`} (${id}): ${oneLine(by)}`,
    ),
    ...(more === 0 ? [] : [`and ${more} more`]),
  ]
}
