import type { SeenRequest } from './rule'
import { ofTheApp, urlOf } from './seen-url'

/** What Next's router asks the server for, in place of a document. */
export interface RouterRequest {
  readonly request: SeenRequest
  /** What it asks for: path and query, without the router's own parameter. */
  readonly target: string
  readonly isPrefetch: boolean
  /** `router.refresh` and the like: asked for again on purpose. */
  readonly isRefresh: boolean
}

/** The router's requests for pages, in the order in which they began. */
export function routerRequests(requests: readonly SeenRequest[]): readonly RouterRequest[] {
  return ofTheApp(requests).flatMap((request) => {
    const { headers } = request
    const url = urlOf(request.url)
    if (url === null || request.method !== 'GET' || headers.rsc !== '1') return []
    url.searchParams.delete('_rsc')
    const target = `${url.origin}${url.pathname}${url.search}`
    const isPrefetch = headers['next-router-prefetch'] !== undefined || headers.purpose === 'prefetch'
    return [{ request, target, isPrefetch, isRefresh: isRefresh(headers['next-router-state-tree'] ?? '') }]
  })
}

/** A tree in which a part is marked to be fetched again. */
const isRefresh = (tree: string): boolean =>
  /(?:%22|")(?:refetch|refresh|inside-shared-layout|metadata-only)(?:%22|")/.test(tree)

/** A server action may change any page, so nothing that was fetched before it is fresh. */
export const isAction = ({ method, headers }: SeenRequest): boolean =>
  method === 'POST' && headers['next-action'] !== undefined
