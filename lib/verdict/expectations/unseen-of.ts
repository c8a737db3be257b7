import type { Evidence } from '../evidence/evidence'
import type { Unseen } from '../rules/rule'

/** What was asked for, and is not in what is judged. */
export interface Missing {
  /** When the newest submission came of those that are older than all that is judged; `null` where none is left out. */
  readonly olderUntil: number | null
  /** Submissions in between that cannot be read any more. */
  readonly damaged: readonly number[]
}

/** When what is not judged came: of a damaged submission that is known from those before and after it. */
export function unseenOf(
  { envelopes }: Pick<Evidence, 'envelopes'>,
  { olderUntil, damaged }: Missing,
): readonly Unseen[] {
  const older = olderUntil === null ? [] : [{ from: 0, until: olderUntil }]
  return [
    ...older,
    ...damaged.map((seq) => ({
      from: envelopes.findLast((one) => one.seq < seq)?.receivedAt ?? 0,
      until: envelopes.find((one) => one.seq > seq)?.receivedAt ?? Number.POSITIVE_INFINITY,
    })),
  ]
}
