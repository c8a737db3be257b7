import type { StoredLimit } from '../../../collector/spool/submission'

/** A limit that upstream reported for this many seconds, except for the given fields. */
export function storedLimit(category: string, seconds: number, given: Partial<StoredLimit> = {}): StoredLimit {
  const { receivedAt = 0 } = given
  return {
    publicKey: 'key',
    project: '1',
    category,
    until: receivedAt + seconds * 1000,
    receivedAt,
    reason: null,
    scope: null,
    sourceSeq: null,
    ...given,
  }
}
