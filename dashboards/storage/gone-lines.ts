import { formatBytes, formatCount } from '../../lib/format'
import type { Storage } from '../../lib/wire/storage'

export interface GoneLine {
  readonly id: 'records' | 'rowsOnly' | 'deadLetters' | 'expired' | 'overflow' | 'refused'
  readonly count: string
  readonly name: string
  readonly means: string
  /** Did somebody lose something by it? */
  readonly lost: boolean
}

/** What had to go since this folder was made. Each line is told, also while it is nought: so much went, and no more. */
export function goneLines({ evicted, overflow, refused }: Storage): readonly GoneLine[] {
  const bytes = evicted.records === 0 ? '' : ` ${formatBytes(evicted.bytes)} in all.`
  return [
    {
      id: 'records',
      count: formatCount(evicted.records),
      name: 'evicted',
      means: `Records that pending nothing, with their rows.${bytes}`,
      lost: false,
    },
    {
      id: 'rowsOnly',
      count: formatCount(evicted.rowsOnly),
      name: 'rows evicted',
      means: 'Pending records that lost their rows: no longer shown in full, relayed all the same.',
      lost: false,
    },
    {
      id: 'overflow',
      count: formatCount(overflow),
      name: 'overflow',
      means: 'Stored and not pending, for the backlog had its share.',
      lost: overflow > 0,
    },
    {
      id: 'deadLetters',
      count: formatCount(evicted.deadLetters),
      name: 'dead letters evicted',
      means: 'Refused by upstream for what they were, and gone before a person decided. They ended as invalid.',
      lost: evicted.deadLetters > 0,
    },
    {
      id: 'expired',
      count: formatCount(evicted.expired),
      name: 'expired',
      means: 'Pending for more than 24 hours of running and never delivered.',
      lost: evicted.expired > 0,
    },
    {
      id: 'refused',
      count: formatCount(refused),
      name: 'refused',
      means: 'Answered 429, for nothing could be evicted.',
      lost: refused > 0,
    },
  ]
}
