import { describe, expect, it } from 'vitest'
import { type Settled, settleRecording } from '../../../collector/cli/run-settle'
import { CollectorError } from '../../../lib/wire/collector-client'
import { type Told, told } from './told-overview'

/** Waits on a clock that only the waiting moves; each look sees the next of what is told, and the last one for ever. */
async function settle(
  looks: readonly (Told | Error)[],
  { forMs = 5000, stop = new AbortController().signal } = {},
): Promise<{ settled: Settled; ms: number; waits: string[] }> {
  let ms = 0
  let look = 0
  const waits = new Set<string>()
  const settled = await settleRecording({
    client: {
      overview: async () => {
        const found = looks[Math.min(look, looks.length - 1)] ?? {}
        look += 1
        if (found instanceof Error) throw found
        return told(found)
      },
    },
    forMs,
    now: () => ms,
    pause: async (more) => {
      ms += more
    },
    stop,
    onWait: (what) => waits.add(what),
  })
  return { settled, ms, waits: [...waits] }
}

describe('waiting for a recording to settle', () => {
  it('takes a moment without news where nothing is under way', async () => {
    expect(await settle([{}])).toEqual({ settled: 'settled', ms: 300, waits: ['for what is still on its way'] })
  })

  it('begins that moment anew with each fact', async () => {
    expect(await settle([{}, { journal: 1 }, { journal: 2 }])).toMatchObject({ settled: 'settled', ms: 500 })
  })

  it('is for the digest and for upstream', async () => {
    expect(await settle([{ digest: 'pending' }, { pending: 2 }, { pending: 1 }, {}])).toEqual({
      settled: 'settled',
      ms: 300,
      waits: ['for what came to be digested', 'for upstream to take 2 envelopes', 'for upstream to take one envelope'],
    })
  })

  it('is late when its time is over, and when it is stopped', async () => {
    expect(await settle([{ pending: 1 }], { forMs: 1000 })).toMatchObject({ settled: 'late', ms: 1000 })
    expect(await settle([{ pending: 1 }], { stop: AbortSignal.abort() })).toMatchObject({ settled: 'late', ms: 0 })
    expect(await settle([{}], { forMs: 0 })).toMatchObject({ settled: 'settled', ms: 0 })
  })

  it('is not for what needs a person, or the end of a limit', async () => {
    expect(await settle([{ pending: 3, state: 'paused' }])).toMatchObject({ settled: 'settled' })
    expect(await settle([{ pending: 3, deferred: 3 }])).toMatchObject({ settled: 'settled' })
    expect(await settle([{ pending: 3, state: 'backing_off' }])).toMatchObject({ settled: 'late', ms: 5000 })
  })

  it('ends with the first answer that is none', async () => {
    await expect(settle([{ pending: 1 }, new CollectorError(null, 'gone')])).rejects.toThrow('gone')
    await expect(settle([new CollectorError(500, 'a bug')])).rejects.toThrow('a bug')
  })
})
