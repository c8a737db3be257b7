import { describe, expect, it } from 'vitest'
import { withoutOwnSegments } from '../../../lib/sdk/outgoing-filter'
import type { Envelope } from '../../../lib/sdk/transport'
import { clientReport, container, envelope, span, spanIds, transaction } from './envelopes'

async function sentFor(one: Envelope): Promise<readonly Envelope[]> {
  const sent: Envelope[] = []
  const transport = withoutOwnSegments({
    send: (passed) => {
      sent.push(passed)
      return Promise.resolve({})
    },
    flush: () => Promise.resolve(true),
  })
  await transport.send(one)
  return sent
}

it('a client report of the server is sent unchanged, for every reason that it counts', async () => {
  const report = envelope(
    clientReport(
      { reason: 'sample_rate', category: 'span', quantity: 7 },
      { reason: 'queue_overflow', category: 'error', quantity: 1 },
    ),
  )
  expect(await sentFor(report)).toEqual([report])
})

describe('a segment of the proxy', () => {
  const proxy = { 'http.route': 'middleware GET' }

  it('is dropped as a transaction', async () => {
    expect(await sentFor(envelope(transaction('middleware GET', 'a', proxy)))).toEqual([])
  })

  // ● middleware GET (a)      ● GET /lab (c)
  //   └─ middleware (b)
  it('is removed from a streamed container, with its children', async () => {
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

describe('a segment of Next’s own start', () => {
  const names = [
    'load route module',
    'load app route module',
    'load instrumentation module',
    'register instrumentation',
    // The readiness probe of npm start.
    'OPTIONS /tunnel',
  ]

  it.each(names)('is dropped as a transaction: %s', async (name) => {
    expect(await sentFor(envelope(transaction(name, 'a')))).toEqual([])
  })

  it.each(names)('is removed from a streamed container: %s', async (name) => {
    const sent = await sentFor(envelope(container(span('a', 'a', name), span('c', 'c', 'GET /lab'))))
    expect(sent.map((one) => spanIds(one[1][0]))).toEqual([['c']])
  })
})
