import type { Context } from 'hono'
import { formatMebibytes } from '../../lib/format'
import { DATA_CATEGORIES, type Quantity } from '../../lib/protocol/data-category'
import { formatRateLimits, namesForSdks } from '../../lib/protocol/rate-limits'
import { COUNTS, type SizeLimits } from '../../lib/protocol/size-limits'
import { type StartTimer, withTimeout } from '../../lib/time'
import type { Refusal } from '../runtime/problem'
import type { DiskBudgetExceeded, Spool } from '../spool/spool'

/** The limit that a refusal reports, and its setting. @param size `null` when the body was not read to its end */
export function describeLimit(sizeLimits: SizeLimits, name: keyof SizeLimits, size: number | null = null): string {
  const unit = COUNTS.has(name) ? '' : ' bytes'
  const received = size === null ? '' : `${size}${unit}; `
  return `(${received}at most ${sizeLimits[name]}${unit} here: ${name} in WAYSTATION_LIMITS)`
}

/** By then deliveries may have made space. */
export const RETRY_SECONDS = 10

/**
 * 503, so that a tunnel keeps the envelope. The header, which SDKs read on any status, limits only the envelope's own
 * categories: `Retry-After` would silence the whole SDK. 413 for an envelope larger than the whole budget (`maxDisk`, in
 * bytes): a retry is useless.
 */
export function diskBudgetRefusal(
  c: Context,
  exceeded: DiskBudgetExceeded,
  quantities: readonly Quantity[],
  maxDisk: number,
): Refusal {
  if (exceeded.copiesFull)
    return {
      status: exceeded.exceedsCap ? 413 : 503,
      reason: 'copies_full',
      detail: `a copy of ${formatMebibytes(exceeded.needed)} does not fit into the share of copies, an eighth of the disk budget of ${formatMebibytes(maxDisk)}; nothing is stored`,
    }
  if (exceeded.exceedsCap)
    return {
      status: 413,
      reason: 'too_large',
      detail: `the envelope needs ${formatMebibytes(exceeded.needed)} on disk, but the disk budget is ${formatMebibytes(maxDisk)}: raise WAYSTATION_MAX_DISK`,
    }
  const known = quantities.map(({ category }) => (DATA_CATEGORIES.has(category) ? category : 'default'))
  const categories = known.length === 0 ? ['default'] : [...new Set(known.flatMap(namesForSdks))]
  c.header(
    'X-Sentry-Rate-Limits',
    formatRateLimits([{ seconds: RETRY_SECONDS, categories, scope: 'organization', reason: null }]),
  )
  return {
    status: 503,
    reason: exceeded.backlogFull ? 'backlog_full' : 'full',
    detail: `${whyFull(exceeded)}; nothing is stored; retry in ${RETRY_SECONDS} s`,
  }
}

function whyFull({ storeFull, backlogFull }: DiskBudgetExceeded): string {
  if (storeFull) return 'the database of the shared record has reached WAYSTATION_STORE_SIZE'
  return backlogFull
    ? 'pending envelopes fill their share of the disk budget'
    : 'the disk budget is used up by pending envelopes'
}

/** An answer waits at most this long for its refusal to be counted. A database lock may last longer. */
const COUNT_TIMEOUT_MS = 500

/**
 * Counts refusals in the ledger; never rejects. Without a count the sender still gets the refusal: a 5xx instead would
 * make a tunnel keep the broken envelope and send it again. @param parts.log called once per period without counts
 */
export function createRefusalCounter(parts: {
  readonly spool: Pick<Spool, 'countRefusal'>
  readonly later: StartTimer
  readonly log: (line: string) => void
}): Spool['countRefusal'] {
  const { spool, later, log } = parts
  let isFailing = false
  const count: Spool['countRefusal'] = async (reason, bytes, path) => {
    try {
      await spool.countRefusal(reason, bytes, path)
      isFailing = false
    } catch (error) {
      if (!isFailing) log(`refusals cannot be counted: ${error instanceof Error ? error.message : String(error)}`)
      isFailing = true
    }
  }
  return (reason, bytes, path) => withTimeout(count(reason, bytes, path), COUNT_TIMEOUT_MS, undefined, later)
}
