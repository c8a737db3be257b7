import type { Attempt } from '../../../collector/spool/submission'
import type { Outcome } from '../../../lib/protocol/outcome'
import type { Discard, Submission } from '../../../lib/protocol/submission'
import type { Random } from '../../faults/random'
import { accepted, submission } from './in-process-spool'

const CATEGORIES = ['error', 'transaction', 'span', 'log_item', 'attachment', 'session', 'made-up']
const STAMPS = [null, null, 'a', 'b', 'c', 'd']

export function pickFrom<Value>(draw: Random, values: readonly Value[]): Value {
  const value = values[draw.between(0, values.length - 1)]
  if (value === undefined) throw new Error('the list to pick from is empty')
  return value
}

/** A random submission of up to four items, sometimes with a client report or a stamp, sometimes a copy. */
export function drawSubmission(draw: Random): Submission {
  const { between, fraction } = draw
  const some = <Value>(most: number, make: () => Value): Value[] => Array.from({ length: between(0, most) }, make)
  const quantities = some(4, () => ({ category: pickFrom(draw, CATEGORIES), quantity: between(1, 20) }))
  const discards: Discard[] = some(2, () => ({
    category: pickFrom(draw, CATEGORIES),
    reason: pickFrom(draw, ['sample_rate', 'before_send', 'made-up']),
    quantity: between(1, 50),
  }))
  const deliveryStatus = pickFrom(draw, [
    'pending',
    'pending',
    'pending',
    'pending',
    'copy',
    'kept',
    'filtered',
  ] as const)
  return submission({
    size: between(10, 4000),
    stamp: pickFrom(draw, STAMPS),
    quantities,
    discards: fraction() < 0.3 ? discards : [],
    endpoint: deliveryStatus === 'copy' ? 'stream' : 'tunnel',
    deliveryStatus:
      deliveryStatus === 'kept' || deliveryStatus === 'filtered'
        ? { outcome: deliveryStatus, reason: 'drawn' }
        : deliveryStatus,
  })
}

export interface DrawnAttempt {
  readonly attempt: Attempt
  /** One per item; `null` if the attempt decides nothing. */
  readonly outcomes: readonly Outcome[] | null
}

/** A random attempt: accepted, partly cut, rate limited, invalid, a dead letter, unavailable, or without an answer. */
export function drawAttempt(draw: Random, seq: number, items: number): DrawnAttempt {
  const all = (status: number, outcome: Outcome, reason: string | null): DrawnAttempt => ({
    attempt: accepted(seq, { status, decision: [{ item: -1, outcome, reason }] }),
    outcomes: Array.from({ length: items }, () => outcome),
  })
  const open = (more: Partial<Attempt>): DrawnAttempt => ({
    attempt: accepted(seq, { decision: null, ...more }),
    outcomes: null,
  })
  const answer = pickFrom(draw, [
    'accepted',
    'accepted',
    'accepted',
    'cut',
    'limited',
    'invalid',
    'dead',
    'unavailable',
    'no answer',
  ] as const)
  switch (answer) {
    case 'accepted':
      return all(200, 'accepted', null)
    case 'limited':
      return all(429, 'rate_limited', 'upstream_429')
    case 'invalid':
      return all(422, 'invalid', 'upstream_422')
    case 'dead':
      return open({ status: 413, dead: true })
    case 'unavailable':
      return open({ status: 503 })
    case 'no answer':
      return open({ status: null })
    case 'cut':
      return items === 0 ? all(200, 'accepted', null) : drawCut(draw, seq, items)
  }
}

function drawCut(draw: Random, seq: number, items: number): DrawnAttempt {
  const outcomes = Array.from({ length: items }, () => pickFrom(draw, ['accepted', 'rate_limited'] as const))
  const decision = outcomes.map((outcome, item) => ({
    item,
    outcome,
    reason: outcome === 'accepted' ? null : 'limited',
  }))
  return { attempt: accepted(seq, { decision }), outcomes }
}
