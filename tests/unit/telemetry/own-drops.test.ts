import { describe, expect, it } from 'vitest'
import { withoutOwnDrops } from '../../../lib/telemetry/own-drops'
import type { Envelope } from '../../../lib/telemetry/sdk'
import { clientReport, envelope, transaction } from './envelopes'

const ours = { reason: 'sample_rate', category: 'span', quantity: 7 }
const theirs = { reason: 'queue_overflow', category: 'error', quantity: 1 }

async function sentFor(one: Envelope): Promise<readonly Envelope[]> {
  const sent: Envelope[] = []
  const transport = withoutOwnDrops({
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
