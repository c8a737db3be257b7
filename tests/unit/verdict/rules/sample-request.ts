import type { SeenRequest } from '../../../../lib/verdict/rules/rule'

/** Start of the first request, in ms since the epoch. */
const BEGIN_MS = 1_795_000_000_000

/** A request of a page on localhost that was answered 200 within 100 ms; times in ms after `BEGIN_MS`. */
export const requestOf = (
  url: string,
  given: Partial<Omit<SeenRequest, 'answer'>> & {
    readonly atMs?: number
    readonly tookMs?: number
    readonly status?: number
    readonly answered?: Readonly<Record<string, string>>
  } = {},
): SeenRequest => {
  const { atMs = 0, tookMs = 100, status = 200, answered = {}, ...rest } = given
  const pageUrl = rest.pageUrl ?? 'http://localhost:3000/lab'
  return {
    method: 'GET',
    resourceType: 'fetch',
    headers: {},
    document: 'load 1',
    isEmbedded: false,
    startedAt: BEGIN_MS + atMs,
    endedAt: BEGIN_MS + atMs + tookMs,
    answer: { status, headers: answered, fromCache: false },
    ...rest,
    pageUrl,
    url: new URL(url, pageUrl).href,
  }
}
