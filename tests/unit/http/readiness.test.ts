import { describe, expect, it } from 'vitest'
import { createReadiness } from '../../../collector/http/readiness'
import type { Overview, UpstreamState } from '../../../lib/wire/overview'
import { upstreamOf } from '../dashboards/status-samples'

const well = upstreamOf({ label: 'sentry.test/1' })

/** What is not ready with these upstreams, and with this that is pending to none of them. */
async function said(states: readonly UpstreamState[], stranded: Overview['stranded'] = []): Promise<readonly string[]> {
  const readiness = createReadiness({
    reader: { head: async () => 1 },
    relay: { states: async () => [...states], stranded: async () => stranded },
    probe: async () => undefined,
    room: async () => [],
  })
  const { ready, notReady } = await readiness()
  expect(ready).toBe(notReady.length === 0)
  return notReady
}

describe('readiness', () => {
  it('is given while upstream takes envelopes, also with dead letters and with errors that are held', async () => {
    expect(await said([well, { ...well, state: 'relaying', open: 3, deadLetters: 2, deferred: 4 }])).toEqual([])
  })

  it('says of an upstream that refuses us since when, in its own words, and how many wait', async () => {
    const paused = { since: Date.UTC(2026, 10, 20, 10), status: 403, answer: '{"detail":\n "no such\u001b[31m key"}' }
    expect(await said([{ ...well, state: 'paused', pending: 12, retryAt: 1, paused }])).toEqual([
      'sentry.test/1 refuses what it is sent: since 2026-11-20T10:00:00.000Z it answers 403 ({"detail": "no such [31m key"}), which speaks of the DSN and not of an envelope; nothing is lost, 12 wait, and it is asked again once a minute',
    ])
  })

  it('says nothing of words where it had none, and quotes no more of them than fit a sentence', async () => {
    const by = async (answer: string | null) =>
      (await said([{ ...well, state: 'paused', paused: { since: 0, status: 302, answer } }]))[0] ?? ''
    expect(await by(null)).toContain('it answers 302, which')
    expect(await by(' \n')).toContain('it answers 302, which')
    expect((await by('x'.repeat(4096))).length).toBeLessThan(500)
  })

  it.each([
    [{ at: 1, status: null, error: 'the connection failed: ECONNREFUSED' }, 'the connection failed: ECONNREFUSED'],
    [{ at: 1, status: 503, error: null }, 'it answered 503'],
  ])('says of an upstream that is away why: %j', async (last, why) => {
    expect(await said([{ ...well, state: 'backing_off', pending: 3, last }])).toEqual([
      `sentry.test/1 does not take envelopes: ${why}; 3 wait`,
    ])
  })

  it('says what is pending to nobody who is configured', async () => {
    expect(await said([well], [{ publicKey: 'old', project: '42', records: 7 }])).toEqual([
      '7 envelopes are pending to project 42 by a key that no configured DSN has (old): put the old DSN into WAYSTATION_DSNS beside the new one, or clear what is pending (which drops everything pending)',
    ])
  })
})
