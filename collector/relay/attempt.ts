import { type Attempt, EVERY_ITEM } from '../spool/submission'

/** What there is to say of a record that cannot be posted: its bytes are lost, and nothing mends that. */
export const attemptAtDamaged = (seq: number, upstream: string, at: number, why: string): Attempt => ({
  seq,
  upstream,
  startedAt: at,
  endedAt: at,
  status: null,
  error: why,
  rateLimits: null,
  retryAfter: null,
  answer: null,
  form: ['received'],
  sha256: '',
  bytes: 0,
  maybeDelivered: false,
  leftOut: [],
  removed: [],
  decision: [{ item: EVERY_ITEM, outcome: 'invalid', reason: 'damaged_record' }],
  dead: false,
  toReport: [],
})
