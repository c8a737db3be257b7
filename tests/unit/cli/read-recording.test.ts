import { describe, expect, it } from 'vitest'
import { type DeliveryState, waitUntilDelivered } from '../../../collector/cli/run/read-recording'
import { CollectorError } from '../../../lib/wire/collector-client'
import { type OverviewSample, sampleOverview } from './sample-overview'

/** Waits with a fake clock. Each request gets the next overview, and then the last one again. */
async function settle(
  answers: readonly (OverviewSample | Error)[],
  { mostMs = 5000, stop = new AbortController().signal } = {},
): Promise<{ settled: DeliveryState; ms: number; waits: string[] }> {
  let ms = 0
  let request = 0
  const waits = new Set<string>()
  const settled = await waitUntilDelivered({
    client: {
      overview: async () => {
        const found = answers[Math.min(request, answers.length - 1)] ?? {}
        request += 1
        if (found instanceof Error) throw found
        return sampleOverview(found)
      },
    },
    mostMs,
    now: () => ms,
    sleep: async (more) => {
      ms += more
    },
    stop,
    onWait: (what) => waits.add(what),
  })
  return { settled, ms, waits: [...waits] }
}

describe('waiting for a recording to settle', () => {
  it('takes 300 ms without new facts when nothing is in transit', async () => {
    expect(await settle([{}])).toEqual({
      settled: 'settled',
      ms: 300,
      waits: ['for requests that are still on their way'],
    })
  })

  it('starts these 300 ms again with each fact', async () => {
    expect(await settle([{}, { journal: 1 }, { journal: 2 }])).toMatchObject({ settled: 'settled', ms: 500 })
  })

  it('includes the digest and the relay', async () => {
    expect(await settle([{ digest: 'pending' }, { pending: 2 }, { pending: 1 }, {}])).toEqual({
      settled: 'settled',
      ms: 300,
      waits: [
        'for the digest of the newest envelope',
        'for upstream to accept 2 envelopes',
        'for upstream to accept 1 envelope',
      ],
    })
  })

  it('is late when the time is over, and when it is stopped', async () => {
    expect(await settle([{ pending: 1 }], { mostMs: 1000 })).toMatchObject({ settled: 'late', ms: 1000 })
    expect(await settle([{ pending: 1 }], { stop: AbortSignal.abort() })).toMatchObject({ settled: 'late', ms: 0 })
    expect(await settle([{}], { mostMs: 0 })).toMatchObject({ settled: 'settled', ms: 0 })
  })

  it('does not include paused upstreams and deferred envelopes', async () => {
    expect(await settle([{ pending: 3, state: 'paused' }])).toMatchObject({ settled: 'settled' })
    expect(await settle([{ pending: 3, deferred: 3 }])).toMatchObject({ settled: 'settled' })
    expect(await settle([{ pending: 3, state: 'backing_off' }])).toMatchObject({ settled: 'late', ms: 5000 })
  })

  it('fails with the first failed request', async () => {
    await expect(settle([{ pending: 1 }, new CollectorError(null, 'gone')])).rejects.toThrow('gone')
    await expect(settle([new CollectorError(500, 'a bug')])).rejects.toThrow('a bug')
  })
})
