import type { TunnelFetch } from './post'
import { postReport } from './post-report'
import type { Schedule } from './read-body'

/** The collector's path for the numbers of documents and pages. */
export const PAGES_PATH = '/tunnel/pages'
/** The collector takes at most this many of each in one report. */
export const MOST_PAGES_REPORTED = 10_000
/** Pages whose posts are recognised as those of a known page; the oldest is forgotten first. */
export const REMEMBERED_PAGES = 10_000
/** Between two reports. */
const REPORT_MS = 5_000

/** Counts documents that an app served, and the pages among them that posted. The difference bounds those that were blocked. */
export interface PageReports {
  readonly served: () => void
  /** @param page the id in the header of a post */
  readonly posted: (page: string) => void
}

/**
 * Posts the counts in the background, at most every 5 s. Counts that could not be posted are added to the next ones.
 * @param onFailure called with the cause when a post fails
 */
export function createPageReports(
  collectorUrl: string,
  { fetch, schedule, onFailure }: { fetch: TunnelFetch; schedule: Schedule; onFailure: (cause: string) => void },
): PageReports {
  const known = new Set<string>()
  let [documents, pages, isWaiting] = [0, 0, false]

  async function report(): Promise<void> {
    const sent = { documents: Math.min(documents, MOST_PAGES_REPORTED), pages: Math.min(pages, MOST_PAGES_REPORTED) }
    const failure = await postReport(fetch, `${collectorUrl}${PAGES_PATH}`, sent)
    if (failure === null) {
      documents -= sent.documents
      pages -= sent.pages
    } else onFailure(failure)
    isWaiting = false
    if (failure === null && documents + pages > 0) wait()
  }

  function wait(): void {
    if (isWaiting) return
    isWaiting = true
    schedule(() => void report(), REPORT_MS)
  }

  return {
    served: () => {
      documents += 1
      wait()
    },
    posted: (page) => {
      if (known.has(page)) return
      known.add(page)
      const oldest = known.values().next()
      if (known.size > REMEMBERED_PAGES && !oldest.done) known.delete(oldest.value)
      pages += 1
      wait()
    },
  }
}
