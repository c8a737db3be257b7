import { runWithTimeout } from '../../time'
import { createAttribution } from '../../verdict/evidence/attribution'
import type { Evidence } from '../../verdict/evidence/evidence'
import { decodeSubmission, readEvidence } from '../../verdict/evidence/read-evidence'
import type { RecordedPage } from '../../wire/journal'
import type { CollectorClient } from '../../wire/query-client'

const LONG_POLL_S = 25

interface RecordedPart {
  readonly evidence: readonly Evidence[]
  /** Numbers of envelopes whose stored bytes cannot be read. */
  readonly damaged: readonly number[]
  /** The journal number up to which was read, and the newest one. */
  readonly read: number
  readonly of: number
}

/** Page by page, as soon as it is on disk. @throws what the client throws when the collector is gone */
export async function* followRecorded(given: {
  readonly client: Pick<CollectorClient, 'recorded'>
  readonly after: number
  /** `null`: of all stamps, and unstamped. */
  readonly stamp: string | null
  readonly stop: AbortSignal
  /** Also ends it, but only after everything that is recorded by then. */
  readonly late?: AbortSignal
  /** For each answer, in addition to the time that the collector may wait for new items. */
  readonly timeoutMs: number
}): AsyncGenerator<RecordedPart, void, undefined> {
  const { client, stamp, stop, late = stop, timeoutMs } = given
  const stopOrLate = AbortSignal.any([stop, late])
  let isAtHead = false
  const attribution = stamp === null ? null : createAttribution(stamp)
  let after: number = given.after
  while (!stop.aborted && !(isAtHead && stopOrLate.aborted)) {
    const until: AbortSignal = isAtHead ? stopOrLate : stop
    const wait: number = isAtHead ? LONG_POLL_S : 0
    const filter = stamp === null ? {} : { stamp, unstamped: true }
    const request = runWithTimeout(wait * 1000 + timeoutMs, until, (signal) =>
      client.recorded({ after, wait, signal, ...filter }),
    )
    const page: RecordedPage | null = await request.catch((cause) => {
      if (until.aborted) return null
      throw cause
    })
    if (page === null) return
    const submissions = page.recorded.map(decodeSubmission)
    yield {
      evidence:
        attribution === null
          ? [readEvidence(submissions)]
          : submissions.flatMap((one) => attribution.add(one).map(({ added }) => added)),
      damaged: page.damaged,
      read: page.next,
      of: page.journal,
    }
    after = page.next
    isAtHead ||= page.next >= page.journal
  }
}
