import type { Sender, Severity } from '../rules/rule'
import { truncateFindings, type Verdict } from '../verdict'

/** One thing that was judged: a rule of the contract, the errors, the losses, a budget. */
export interface Judged {
  /** A rule's id; `errors`, `losses`; `budget-` and its name. */
  readonly id: string
  readonly title: string
  readonly group: 'contract' | 'errors' | 'losses' | 'budget'
  /** A warning is told, and fails nothing. */
  readonly severity: Severity
  readonly why: string
  /** What to do where it fails. */
  readonly fix: string
  readonly verdict: Verdict
  /** Where it could not be judged, for it is of these alone, and they sent nothing; nobody asked for it by name. */
  readonly silent?: Sender
}

/** What was judged altogether, in the order in which it is told. */
export interface Report {
  /** `fail` where anything of severity `error` fails; else `incomplete` where anything that was asked for could not be judged. */
  readonly verdict: Verdict['verdict']
  /** Where it is incomplete: what made it so, as sentences without a full stop; `gaps` are among them. */
  readonly reasons: readonly string[]
  readonly judged: readonly Judged[]
  /** What it was judged from. */
  readonly from: {
    readonly submissions: number
    readonly items: number
    readonly stamp: string | null
    /** ms since the epoch of the first and the last submission; `null` where there is none. */
    readonly first: number | null
    readonly last: number | null
  }
  /** Why what was recorded is not whole: evictions in the window, envelopes that are still under way. */
  readonly gaps: readonly string[]
  /** Failures that a baseline or the allowlist knows, and are not counted. */
  readonly known: number
  /** What those are, alike ones together. */
  readonly knownFailures: readonly KnownFailure[]
  /** Failures of the baseline that were looked for and not found, as it names them; none of a report that is not whole. */
  readonly fixed: readonly { readonly id: string; readonly about: string; readonly path: string }[]
}

/** Failures that are known, and why. */
export interface KnownFailure {
  /** Of the check that would fail by them. */
  readonly id: string
  readonly about: string
  readonly count: number
  /** `the baseline`, or `the allowlist` with what its entry says. */
  readonly by: string
}

/** Alike ones together, in the order in which they are told first. */
export function mergeKnownFailures(all: readonly KnownFailure[]): readonly KnownFailure[] {
  const together = new Map<string, KnownFailure>()
  for (const one of all) {
    const key = JSON.stringify([one.id, one.about, one.by])
    together.set(key, { ...one, count: one.count + (together.get(key)?.count ?? 0) })
  }
  return [...together.values()]
}

/** A report as it is written out whole, as JSON: of each check the first 50 findings. A baseline is made of all. */
export const truncateReport = (report: Report): Report => ({
  ...report,
  judged: report.judged.map((one) => ({ ...one, verdict: truncateFindings(one.verdict) })),
})

/** As the command ends: 0 pass, 1 fail, 3 incomplete (2 is a wrong word). */
export const EXIT_CODES = { pass: 0, fail: 1, incomplete: 3 } as const satisfies Readonly<
  Record<Verdict['verdict'], number>
>
