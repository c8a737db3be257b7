import type { Storage } from '../../../lib/wire/storage'

/** The storage of an empty collector. */
export const EMPTY_STORAGE: Storage = {
  now: 0,
  cap: 1,
  maxAgeMs: null,
  used: 0,
  spool: { used: 0, file: 0, wal: 0 },
  rows: { used: 0, file: 0, wal: 0 },
  records: 0,
  oldest: null,
  pending: { records: 0, bytes: 0, cap: 1, oldest: null },
  deadLetters: { records: 0, bytes: 0 },
  evicted: { records: 0, bytes: 0, byAge: 0, rowsOnly: 0, expired: 0, deadLetters: 0 },
  evictsAt: 1,
  next: null,
  refused: 0,
  state: 'ok',
  trouble: null,
  ballast: { bytes: 0, released: false },
  rebuild: null,
}
