import type { TunnelFetch } from './post'
import { postReport } from './post-report'

/** The collector's path for the number of refused requests by status. */
export const REFUSALS_PATH = '/tunnel/refused'
/** The collector takes at most this many requests of a status in one report. */
export const MOST_REPORTED = 1_000

/** Counts requests that the tunnel refused by itself, in the ledger of the collector. */
export interface RefusalReports {
  readonly add: (status: number) => void
}

/**
 * Posts the counts in the background, one request at a time. Counts that could not be posted are added to the next ones.
 * @param onFailure called with the cause when a post fails
 */
export function createRefusalReports(
  collectorUrl: string,
  fetch: TunnelFetch,
  onFailure: (cause: string) => void,
): RefusalReports {
  const waiting = new Map<number, number>()
  let isPosting = false

  async function post(): Promise<void> {
    if (isPosting || waiting.size === 0) return
    isPosting = true
    const sent = new Map([...waiting].map(([status, count]) => [status, Math.min(count, MOST_REPORTED)]))
    const failure = await postReport(fetch, `${collectorUrl}${REFUSALS_PATH}`, { refused: Object.fromEntries(sent) })
    isPosting = false
    if (failure !== null) return onFailure(failure)
    for (const [status, count] of sent) {
      const left = (waiting.get(status) ?? 0) - count
      if (left > 0) waiting.set(status, left)
      else waiting.delete(status)
    }
    return post()
  }

  return {
    add: (status) => {
      waiting.set(status, (waiting.get(status) ?? 0) + 1)
      void post()
    },
  }
}
