import type { Submission } from '../../collector/spool/submission'
import { randomFrom } from '../faults/random'
import { PAGE_LOAD, transactionEnvelope } from './transaction-envelope'

/** The envelope that `bench:ingest` posts, pending to an upstream. */
export function pendingPageLoad(number: number, receivedAt: number): Submission {
  const { text } = transactionEnvelope(randomFrom(number), { ...PAGE_LOAD, start: receivedAt / 1000 - 10 })
  return {
    ...submission({ number, receivedAt, stamp: null, category: 'transaction', text }),
    deliveryStatus: 'pending',
  }
}

/** A record as the endpoint makes it, of one item; kept here unless somebody says otherwise. */
export function submission(given: {
  readonly number: number
  readonly receivedAt: number
  readonly stamp: string | null
  readonly category: string
  readonly quantity?: number
  readonly text: string
}): Submission {
  return {
    receipt: `${given.category}-${given.number}-${given.receivedAt}`,
    receivedAt: given.receivedAt,
    endpoint: 'envelope',
    project: '1',
    publicKey: 'bench',
    stamp: given.stamp,
    facts: {
      method: 'POST',
      contentType: 'text/plain;charset=UTF-8',
      contentEncoding: null,
      userAgent:
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
      clientHints: {},
      origin: 'https://shop.test',
      forwardedFor: null,
      page: null,
      lab: false,
    },
    discards: [],
    reportedLimits: [],
    quantities: [{ category: given.category, quantity: given.quantity ?? 1 }],
    body: Buffer.from(given.text),
    deliveryStatus: { outcome: 'kept', reason: 'no_upstream' },
  }
}
