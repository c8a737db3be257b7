import type { Evidence } from '../../lib/evidence/evidence'
import { readEvidence } from '../../lib/evidence/read-evidence'
import { submissionOf } from '../../lib/evidence/submission'
import { attributionTo } from '../../lib/testing/attribution'
import type { CollectorClient } from '../../lib/wire/collector-client'

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
}): AsyncGenerator<Arrived, void, undefined> {
  const { client, stamp, stop } = given
  const mine = stamp === null ? null : attributionTo(stamp)
  for (let after = given.after; !stop.aborted; ) {
    const asked = { after, wait: LONG_POLL_S, signal: stop, ...(stamp === null ? {} : { stamp, unstamped: true }) }
    const page = await client.recorded(asked).catch((cause: unknown) => {
      if (stop.aborted) return null
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
  }
}
