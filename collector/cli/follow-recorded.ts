import type { Evidence } from '../../lib/evidence/evidence'
import { readEvidence } from '../../lib/evidence/read-evidence'
import { submissionOf } from '../../lib/evidence/submission'
import { attributionTo } from '../../lib/testing/attribution'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { RecordedPage } from '../../lib/wire/recorded'

/** What arrived since the page before. */
export interface Arrived {
  readonly evidence: readonly Evidence[]
  /** Submissions whose bytes cannot be read any more. */
  readonly damaged: readonly number[]
}

const LONG_POLL_S = 25
/** A collector that is frozen answers nothing, and nobody waits for it for ever. */
const PATIENCE_MS = 30_000

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
}): AsyncGenerator<Arrived, void, undefined> {
  const { client, stamp, stop, late = stop } = given
  const over = AbortSignal.any([stop, late])
  let isAtHead = false
  const mine = stamp === null ? null : attributionTo(stamp)
  for (let after = given.after; !stop.aborted && !(isAtHead && over.aborted); ) {
    const until = isAtHead ? over : stop
    const wait: number = isAtHead ? LONG_POLL_S : 0
    const signal = AbortSignal.any([until, AbortSignal.timeout(wait * 1000 + PATIENCE_MS)])
    const filter = stamp === null ? {} : { stamp, unstamped: true }
    const page: RecordedPage | null = await client.recorded({ after, wait, signal, ...filter }).catch((cause) => {
      if (until.aborted) return null
      throw cause
    })
    if (page === null) return
    const submissions = page.recorded.map(submissionOf)
    yield {
      evidence:
        mine === null
          ? [readEvidence(submissions)]
          : submissions.flatMap((one) => mine.take(one).map(({ evidence }) => evidence)),
      damaged: page.damaged,
    }
    after = page.next
    isAtHead ||= page.next >= page.journal
  }
}
