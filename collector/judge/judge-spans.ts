import type { Database } from 'better-sqlite3'
import type { StoredSubmission } from '../../lib/protocol/submission'
import { createAttribution } from '../../lib/verdict/evidence/attribution'
import type { Evidence } from '../../lib/verdict/evidence/evidence'
import { mergeEvidence, readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { expectSpans } from '../../lib/verdict/expectations/expect-spans'
import { NO_BOARDS } from '../../lib/verdict/verdict'
import type { SpanExpectation } from '../../lib/wire/span-expectation'
import { newestSubmissions } from '../spool/local'

export interface SpanQuery {
  readonly stamp: string | null
  /** A journal number: only later submissions are searched. */
  readonly after?: number
  /** The only trace that is searched; `null` or nothing for all. */
  readonly traceId?: string | null
  /** See `PatternStep` for the grammar. */
  readonly pattern: string
}

/**
 * Searches the newest submissions on record for a span tree: all of them; or those with the stamp, and unstamped entries
 * of their traces.
 * @throws TypeError for an invalid pattern
 */
export function judgeSpans(spool: Database, { stamp, after = 0, traceId = null, pattern }: SpanQuery): SpanExpectation {
  const own = newestSubmissions(spool, { stamp, after })
  // Read separately, so that a busy server without stamps cannot displace the stamped submissions.
  const unstamped = stamp === null ? null : newestSubmissions(spool, { stamp: null, after, unstamped: true })
  const evidence =
    unstamped === null || stamp === null
      ? readEvidence(own.submissions)
      : evidenceOf(stamp, [...own.submissions, ...unstamped.submissions])
  const { answer, matched, message } = expectSpans(
    traceId === null ? evidence : ofTrace(evidence, traceId),
    pattern,
    NO_BOARDS,
  )
  const from = { submissions: evidence.envelopes.length, isPart: own.isPart || unstamped?.isPart === true }
  return { pattern, stamp, answer, matched: [...matched], message, from }
}

function ofTrace(evidence: Evidence, traceId: string): Evidence {
  const own = <Seen extends { readonly traceId: string | null }>(all: readonly Seen[]): readonly Seen[] =>
    all.filter((one) => one.traceId === traceId)
  const { items, events, segments, spans } = evidence
  return { ...evidence, items: own(items), events: own(events), segments: own(segments), spans: own(spans) }
}

function evidenceOf(stamp: string, submissions: readonly StoredSubmission[]): Evidence {
  const { add } = createAttribution(stamp)
  const bySubmission = new Map<StoredSubmission, Evidence>()
  for (const submission of [...submissions].sort((one, other) => one.seq - other.seq))
    for (const one of add(submission)) bySubmission.set(one.submission, one.evidence)
  return mergeEvidence([...bySubmission.values()])
}
