import type { SeenRequest } from './rule'

export interface OpenAtOnce {
  readonly most: number
  /** The first request at which so many were open; `null` where there is none. */
  readonly at: SeenRequest | null
}

/** How many of these were open at the same time, at most. One that ends as another begins makes room for it. */
export function mostOpen(requests: readonly SeenRequest[]): OpenAtOnce {
  const changes = requests
    .flatMap((request) => [
      { at: request.startedAt, by: 1, request },
      { at: request.endedAt ?? Number.POSITIVE_INFINITY, by: -1, request },
    ])
    .sort((one, other) => (one.at === other.at ? one.by - other.by : one.at - other.at))
  let open = 0
  let found: OpenAtOnce = { most: 0, at: null }
  for (const { by, request } of changes) {
    open += by
    if (open > found.most) found = { most: open, at: request }
  }
  return found
}
