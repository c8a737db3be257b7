import { runWithTimeout } from '../../lib/time'
import { createAttribution } from '../../lib/verdict/evidence/attribution'
import type { Evidence } from '../../lib/verdict/evidence/evidence'
import { decodeSubmission, readEvidence } from '../../lib/verdict/evidence/read-evidence'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { RecordedPage } from '../../lib/wire/journal'
import { ANSWER_TIMEOUT_MS } from './asked-collector'

/** What arrived since the page before. */
export interface Arrived {
  readonly evidence: readonly Evidence[]
  /** Submissions whose bytes cannot be read any more. */
  readonly damaged: readonly number[]
}

const LONG_POLL_S = 25

/**
 * What arrives, page by page, as soon as it is on disk; ends when it is stopped.
 * @param after journal number. @param stamp whose; `null` for everybody's
 * @throws what the client throws, when the collector is gone
 */
export async function* followRecorded(given: {
  readonly client: Pick<CollectorClient, 'recorded'>
  readonly after: number
  readonly stamp: string | null
  readonly stop: AbortSignal
  /** Ends it, too, but not before all was looked at that is recorded by then. */
  readonly late?: AbortSignal
  /** For each answer, in ms, beside what it may wait for something. */
  readonly timeoutMs?: number
}): AsyncGenerator<Arrived, void, undefined> {
  const { client, stamp, stop, late = stop, timeoutMs = ANSWER_TIMEOUT_MS } = given
  const over = AbortSignal.any([stop, late])
  let isAtHead = false
  const mine = stamp === null ? null : createAttribution(stamp)
  let after: number = given.after
  while (!stop.aborted && !(isAtHead && over.aborted)) {
    const until: AbortSignal = isAtHead ? over : stop
    const wait: number = isAtHead ? LONG_POLL_S : 0
    const filter = stamp === null ? {} : { stamp, unstamped: true }
    const asking = runWithTimeout(wait * 1000 + timeoutMs, until, (signal) =>
      client.recorded({ after, wait, signal, ...filter }),
    )
    const page: RecordedPage | null = await asking.catch((cause) => {
      if (until.aborted) return null
      throw cause
    })
    if (page === null) return
    const submissions = page.recorded.map(decodeSubmission)
    yield {
      evidence:
        mine === null
          ? [readEvidence(submissions)]
          : submissions.flatMap((one) => mine.add(one).map(({ added }) => added)),
      damaged: page.damaged,
    }
    after = page.next
    isAtHead ||= page.next >= page.journal
  }
}
