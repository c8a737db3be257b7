import type { RecordedPage } from '../../wire/journal'
import type { Overview } from '../../wire/overview'
import type { Storage } from '../../wire/storage'
import { cut, firstFew, many } from './shown'

/** How the collector stands at one moment. */
export interface Look {
  readonly overview: Pick<Overview, 'startedAt' | 'refusals'>
  readonly storage: Pick<Storage, 'evicted' | 'refused'>
}

/** What was looked at. */
export interface Window {
  /** When it began; `null` where nobody looked then: it is the folder's whole life. */
  readonly before: Look | null
  readonly after: Look
  /** All pages that were read. */
  readonly pages: readonly Pick<RecordedPage, 'damaged'>[]
  /** Submissions that were left out because there were too many, the oldest of them. */
  readonly leftOut?: number
}

/**
 * Why what was recorded is not all that was sent; empty where nothing says so. What is only still pending is recorded: of
 * that the losses tell.
 */
export function gapsOf({ before, after, pages, leftOut = 0 }: Window): readonly string[] {
  const evicted = after.storage.evicted.records - (before?.storage.evicted.records ?? 0)
  const full = after.storage.refused - (before?.storage.refused ?? 0)
  const damaged = pages.reduce((sum, page) => sum + page.damaged.length, 0)
  const refusals = refusedSince(before?.overview.refusals ?? [], after.overview.refusals)
  const refused = refusals.reduce((sum, { envelopes }) => sum + envelopes, 0)
  const reasons = firstFew(refusals.map(({ reason, envelopes }) => `${envelopes} ${cut(reason, 40)}`))
  return [
    ...(before !== null && before.overview.startedAt !== after.overview.startedAt
      ? ['the collector was started again meanwhile: what was sent while it was away may not have arrived']
      : []),
    ...(evicted > 0 ? [`${many(evicted, 'submission')} made room for newer ones: raise WAYSTATION_MAX_DISK`] : []),
    ...(full > 0 ? [`${many(full, 'submission')} found no room: raise WAYSTATION_MAX_DISK`] : []),
    ...(refused > 0
      ? [`${many(refused, 'envelope')} ${refused === 1 ? 'was' : 'were'} refused at the endpoint: ${reasons}`]
      : []),
    ...(damaged > 0 ? [`${many(damaged, 'submission')} cannot be read any more: the bytes on disk are damaged`] : []),
    ...(leftOut > 0
      ? [
          `${many(leftOut, 'submission')}, the oldest, ${leftOut === 1 ? 'was' : 'were'} not looked at: there are too many`,
        ]
      : []),
  ]
}

function refusedSince(before: Overview['refusals'], after: Overview['refusals']): Overview['refusals'] {
  const counts = new Map(before.map(({ reason, envelopes }) => [reason, envelopes]))
  return after
    .map(({ reason, envelopes }) => ({ reason, envelopes: envelopes - (counts.get(reason) ?? 0) }))
    .filter(({ envelopes }) => envelopes > 0)
}
