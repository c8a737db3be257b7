import type { Boards } from '../expectations/answer'
import type { Report } from '../expectations/report'
import { many } from '../expectations/shown'
import { inLine, sortJudged } from './findings'

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
