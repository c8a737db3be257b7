import type { SenderKind, Severity } from '../rules/rule'
import { truncateFindings, type Verdict } from '../verdict'

export interface Judged {
  /**
   * A rule id, `errors`, `losses`, `budget-` or `expect-` with its name, `profile`, `profile-changes`, `last-green-run`, or
   * one of `arrival/`, such as `pageloads`.
   */
  readonly id: string
  readonly title: string
  readonly group: 'contract' | 'errors' | 'losses' | 'budget' | 'expect' | 'profile' | 'arrival'
  /** A warning does not fail the report. */
  readonly severity: Severity
  readonly why: string
  readonly fix: string
  readonly verdict: Verdict
  /** Set if it is incomplete because its only sender sent nothing, and the plan does not name it. */
  readonly silent?: SenderKind
  /** The cause in another check, as a sentence, if that explains all findings: see `causesFirst`. */
  readonly follows?: string
}

export interface Report {
  /** `fail` if a check of severity `error` fails; otherwise see `evaluate` for `incomplete`. */
  readonly verdict: Verdict['verdict']
  /** Why it is incomplete, including `gaps`; empty otherwise. */
  readonly reasons: readonly string[]
  readonly judged: readonly Judged[]
  readonly from: {
    readonly submissions: number
    readonly items: number
    readonly stamp: string | null
    /** Arrival of the first and the last submission, in ms since the epoch; `null` without any. */
    readonly first: number | null
    readonly last: number | null
  }
  readonly gaps: readonly string[]
  /** Number of failures that the baseline or the allowlist contains; they do not count as failures. */
  readonly known: number
  /** Warnings that the configuration acknowledges; they are left out. */
  readonly acknowledged: number
  /** Entries of `acknowledge` that match no warning; empty if the report is incomplete. */
  readonly unacknowledged: readonly Pick<AcknowledgedWarning, 'check' | 'about'>[]
  readonly knownFailures: readonly KnownFailure[]
  /** Baseline entries that no longer fail; empty if the report is incomplete. */
  readonly fixed: readonly { readonly id: string; readonly about: string; readonly path: string }[]
  /** Tests that passed at a retry; their earlier attempts are not judged. `attempt` is 1 for the first retry. */
  readonly flaky: readonly { readonly test: string; readonly attempt: number }[]
}

/** A warning that a team accepts, with its reason. */
export interface AcknowledgedWarning {
  /** The id of the check, such as `setup`. */
  readonly check: string
  /** A part of the subject of the warning, such as `personal data`. */
  readonly about: string
  readonly why: string
}

export interface KnownFailure {
  readonly id: string
  readonly about: string
  readonly count: number
  /** `the baseline`, or `the allowlist` with the reason and end date of its entry. */
  readonly by: string
}

export function mergeKnownFailures(all: readonly KnownFailure[]): readonly KnownFailure[] {
  const together = new Map<string, KnownFailure>()
  for (const one of all) {
    const key = JSON.stringify([one.id, one.about, one.by])
    together.set(key, { ...one, count: one.count + (together.get(key)?.count ?? 0) })
  }
  return [...together.values()]
}

/** The report for JSON output, with the first 50 findings of each check. */
export const truncateReport = (report: Report): Report => ({
  ...report,
  judged: report.judged.map((one) => ({ ...one, verdict: truncateFindings(one.verdict) })),
})
