import { expect, it } from 'vitest'
import type { Submission } from '../../../lib/evidence/evidence'
import { attributionTo } from '../../../lib/testing/attribution'
import { errorEnvelope, transactionEnvelope } from '../../flow/envelopes'

const DSN = 'http://local@127.0.0.1:8969/1'
const [A, B] = ['a'.repeat(32), 'b'.repeat(32)]

let seq = 0
function submission(body: string, stamp: string | null = null): Submission {
  seq += 1
  const facts = { project: '1', publicKey: 'local', page: null, userAgent: null, origin: null, door: 'tunnel' as const }
  return { ...facts, seq, journal: seq, receivedAt: seq, stamp, body: Buffer.from(body) }
}
const unstamped = (traceId: string) => submission(errorEnvelope(DSN, { traceId }).body)
const mine = (traceId: string) => submission(transactionEnvelope(DSN, { traceId }).body, 'mine')

it('is of those that a stamped one speaks for before the stamped one, in the order in which they came', () => {
  const attribution = attributionTo('mine')
  const [first, second] = [unstamped(A), unstamped(A)]
  expect(attribution.take(first)).toEqual([])
  expect(attribution.take(second)).toEqual([])
  expect(attribution.take(unstamped(B))).toEqual([])
  const stamped = mine(A)
  expect(attribution.take(stamped).map(({ submission }) => submission)).toEqual([first, second, stamped])
})

it('is never of what somebody else stamped, whatever trace it tells of', () => {
  const attribution = attributionTo('mine')
  attribution.take(mine(A))
  expect(attribution.take(submission(errorEnvelope(DSN, { traceId: A }).body, 'theirs'))).toEqual([])
  expect(attribution.take(mine(A))).toHaveLength(1)
})

it('gives what was adopted once', () => {
  const attribution = attributionTo('mine')
  attribution.take(unstamped(A))
  expect(attribution.take(mine(A))).toHaveLength(2)
  expect(attribution.take(mine(A))).toHaveLength(1)
})

it('lets no unstamped one speak for another: two tests may share what a server sends of both their traces', () => {
  const attribution = attributionTo('mine')
  attribution.take(mine(A))
  const ofBoth = submission(
    [
      JSON.stringify({ dsn: DSN }),
      ...[A, B].flatMap((traceId) => errorEnvelope(DSN, { traceId }).body.split('\n').slice(1)),
    ].join('\n'),
  )
  expect(attribution.take(ofBoth)).toHaveLength(1)
  expect(attribution.take(unstamped(B))).toEqual([])
})

it('lets go the oldest that nobody spoke for where there are too many or too many bytes, and counts them', () => {
  const few = attributionTo('mine', { submissions: 2, bytes: 1_000_000 })
  const [first, second, third] = [unstamped(A), unstamped(A), unstamped(A)]
  for (const one of [first, second, third]) few.take(one)
  expect(few.letGo()).toBe(1)
  expect(few.take(mine(A)).map(({ submission }) => submission.seq)).toEqual([second.seq, third.seq, seq])

  const small = attributionTo('mine', { submissions: 100, bytes: second.body.length + 10 })
  for (const one of [first, second, third]) small.take(one)
  expect(small.letGo()).toBe(2)
})

it('keeps nothing of what is of no trace', () => {
  const attribution = attributionTo('mine', { submissions: 0, bytes: 0 })
  const report = JSON.stringify({ timestamp: 1, discarded_events: [] })
  attribution.take(submission([JSON.stringify({ dsn: DSN }), '{"type":"client_report"}', report].join('\n')))
  expect(attribution.letGo()).toBe(0)
})
