import type { Storage } from '../../lib/wire/storage'

export interface DiskPart {
  readonly id: 'record' | 'rows' | 'free'
  readonly name: string
  readonly bytes: number
  /** Of the bar's whole length, 0 to 1. */
  readonly share: number
}

export interface DiskBar {
  /** They add up to the whole bar. */
  readonly parts: readonly DiskPart[]
  /** What is pending lies inside the record. */
  readonly pending: number
  /** Where the share of the backlog ends. */
  readonly pendingCap: number
  /** Of the cap; above 1 while it is passed. */
  readonly used: number
}

/** The cap as a bar: what the record holds, what its rows hold, what is free. When more is used, the bar is all of that. */
export function diskBar({ cap, used, spool, rows, pending }: Storage): DiskBar {
  const free = Math.max(0, cap - used)
  const whole = Math.max(1, cap, spool.used + rows.used)
  const share = (bytes: number): number => Math.min(1, Math.max(0, bytes / whole))
  return {
    parts: [
      { id: 'record', name: 'record', bytes: spool.used, share: share(spool.used) },
      { id: 'rows', name: 'rows', bytes: rows.used, share: share(rows.used) },
      { id: 'free', name: 'free', bytes: free, share: share(free) },
    ],
    pending: share(pending.bytes),
    pendingCap: share(pending.cap),
    used: cap === 0 ? 0 : used / cap,
  }
}
