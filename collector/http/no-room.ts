import type { Context } from 'hono'
import { DATA_CATEGORIES, type Quantity } from '../../lib/protocol/data-category'
import { formatRateLimits, namesForSdks } from '../../lib/protocol/upstream-answer'
import type { NoRoom } from '../spool/submission'
import type { Refusal } from './refusal'

/** Until then some may have been delivered. */
const COME_BACK_SECONDS = 10
/** What is no category of its own is of this one, as SDKs see it. */
const DEFAULT_CATEGORY = 'default'

/**
 * Refuses an envelope for which no room could be made. The header names the envelope's own categories: a bare 429, or one
 * with `Retry-After`, would silence an SDK altogether. One for which there never will be room must not come back.
 * @param cap `WAYSTATION_MAX_DISK`.
 */
export function refuseForRoom(c: Context, noRoom: NoRoom, quantities: readonly Quantity[], cap: number): Refusal {
  if (noRoom.fitsNever)
    return {
      status: 413,
      reason: 'too_large',
      detail: `the envelope takes ${inMiB(noRoom.needed)} on disk, and all that is kept may take ${inMiB(cap)}: raise WAYSTATION_MAX_DISK`,
    }
  const known = quantities.map(({ category }) => (DATA_CATEGORIES.has(category) ? category : DEFAULT_CATEGORY))
  const categories = known.length === 0 ? [DEFAULT_CATEGORY] : [...new Set(known.flatMap(namesForSdks))]
  c.header(
    'X-Sentry-Rate-Limits',
    formatRateLimits([{ seconds: COME_BACK_SECONDS, categories, scope: 'organization', reason: null }]),
  )
  return {
    status: 429,
    reason: 'full',
    detail: 'the disk has its cap and everything on it is still pending: nothing is stored; come back in 10 s',
  }
}

const inMiB = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`
