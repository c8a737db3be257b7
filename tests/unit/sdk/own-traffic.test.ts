import { describe, expect, it } from 'vitest'
import { withoutOwnTraffic } from '../../../lib/sdk/own-traffic'
import type { Envelope } from '../../../lib/sdk/sdk'
import { clientReport, container, envelope, span, spanIds, transaction } from './envelopes'

const ours = { reason: 'sample_rate', category: 'span', quantity: 7 }
const theirs = { reason: 'queue_overflow', category: 'error', quantity: 1 }

async function sentFor(one: Envelope): Promise<readonly Envelope[]> {
  const sent: Envelope[] = []
  const transport = withoutOwnTraffic({
    send: (passed) => {
      sent.push(passed)
      return Promise.resolve({})
    },
    flush: () => Promise.resolve(true),
  })
  await transport.send(one)
  return sent
}

describe('a client report of the server', () => {
  it('does not go out when it counts nothing but the line’s own requests', async () => {
    expect(await sentFor(envelope(clientReport(ours)))).toEqual([])
  })

  it('goes out with what else it counts', async () => {
    expect(await sentFor(envelope(clientReport(ours, theirs)))).toEqual([envelope(clientReport(theirs))])
  })

  it('goes out as it is when it counts none of them', async () => {
    expect(await sentFor(envelope(clientReport(theirs)))).toEqual([envelope(clientReport(theirs))])
  })

  it('is all that is touched', async () => {
    const one = envelope(transaction('/lab', 'a'))
    expect(await sentFor(one)).toEqual([one])
  })
})

describe('a segment of the proxy', () => {
  const proxy = { 'http.route': 'middleware GET' }

  it('does not go out as a transaction', async () => {
    expect(await sentFor(envelope(transaction('middleware GET', 'a', proxy)))).toEqual([])
  })

  // ● middleware GET (a)      ● GET /lab (c)
  //   └─ middleware (b)
  it('leaves a streamed container with its children', async () => {
    const sent = await sentFor(
      envelope(
        container(
          span('b', 'a', 'middleware GET'),
          span('a', 'a', 'middleware GET', proxy),
          span('c', 'c', 'GET /lab', { 'http.route': '/lab' }),
        ),
      ),
    )
    expect(sent.map((one) => spanIds(one[1][0]))).toEqual([['c']])
  })
})
