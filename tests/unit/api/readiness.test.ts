import { describe, expect, it } from 'vitest'
import { createHealth } from '../../../collector/api/readiness'
import { quotedAnswer } from '../../../collector/relay/upstream-breaker'
import { KEYLESS } from '../../../lib/protocol/upstream-address'
import type { Overview, UpstreamState } from '../../../lib/wire/overview'
import { EMPTY_STORAGE } from '../cli/sample-storage'
import { upstreamOf } from '../dashboards/status-samples'

const well = upstreamOf({ label: 'sentry.test/1' })

/** The problems with these upstreams and stranded envelopes. */
async function problems(
  states: readonly UpstreamState[],
  stranded: Overview['stranded'] = [],
  intake: string | null = null,
): Promise<readonly string[]> {
  const health = createHealth({
    index: { innerSpans: async () => 0 },
    record: {
      shared: null,
      probe: async () => true,
      storage: async () => ({ status: EMPTY_STORAGE, copies: 0, notReady: [] }),
    },
    relay: { states: async () => [...states], stranded: async () => stranded },
    intakeProblem: () => intake,
    pauseAnswer: quotedAnswer,
  })
  const { ready, notReady } = await health.ready()
  expect(ready).toBe(notReady.length === 0)
  expect(await health.refusing()).toEqual(intake === null ? [] : [intake])
  return notReady
}

describe('readiness', () => {
  it('is ready while upstream accepts envelopes, also with dead letters and deferred errors', async () => {
    expect(await problems([well, { ...well, state: 'relaying', open: 3, deadLetters: 2, deferred: 4 }])).toEqual([])
  })

  it('reports that request bodies wait for memory', async () => {
    expect(await problems([well], [], 'request bodies have waited 2.0 s')).toEqual(['request bodies have waited 2.0 s'])
  })

  it('reports since when and why an upstream is paused, and how many envelopes wait', async () => {
    const paused = { since: Date.UTC(2026, 10, 20, 10), status: 403, answer: '{"detail":\n "no such\u001b[31m key"}' }
    expect(await problems([{ ...well, state: 'paused', pending: 12, retryAt: 1, paused }])).toEqual([
      'sentry.test/1 is paused: since 2026-11-20T10:00:00.000Z it answers 403 ({"detail": "no such [31m key"}), which refuses the DSN and not one envelope; 12 pending stay stored, and one probe goes each minute',
    ])
  })

  it('leaves out an empty answer and shortens a long one', async () => {
    const by = async (answer: string | null) =>
      (await problems([{ ...well, state: 'paused', paused: { since: 0, status: 302, answer } }]))[0] ?? ''
    expect(await by(null)).toContain('it answers 302, which')
    expect(await by(' \n')).toContain('it answers 302, which')
    expect((await by('x'.repeat(4096))).length).toBeLessThan(500)
  })

  it.each([
    [{ at: 1, status: null, error: 'the connection failed: ECONNREFUSED' }, 'the connection failed: ECONNREFUSED'],
    [{ at: 1, status: 503, error: null }, 'it answered 503'],
  ])('reports why an upstream is unreachable: %j', async (last, why) => {
    expect(await problems([{ ...well, state: 'backing_off', pending: 3, last }])).toEqual([
      `sentry.test/1 does not accept envelopes: ${why}; 3 wait`,
    ])
  })

  it('reports an upstream that no collector has relayed to for 30 s, and none with another owner', async () => {
    const unowned = { ...well, owner: null, pending: 4 }
    expect(
      await problems([
        { ...unowned, unownedMs: 30_000 },
        { ...well, owner: 'collector-2' },
      ]),
    ).toEqual([])
    expect(await problems([{ ...unowned, unownedMs: 45_999 }])).toEqual([
      'no collector has relayed to sentry.test/1 for 45 s; 4 pending stay stored until a collector that has its DSN does: configure the same upstreams at every collector of this record',
    ])
  })

  it('reports stranded requests of OpenTelemetry, which belong to no DSN', async () => {
    expect(await problems([well], [{ publicKey: KEYLESS.publicKey, project: '0', records: 1 }])).toEqual([
      '1 OpenTelemetry request is pending, but WAYSTATION_OTLP_UPSTREAM names no upstream of its own: set it again, or clear all pending envelopes, which drops them',
    ])
  })

  it('reports stranded envelopes', async () => {
    expect(await problems([well], [{ publicKey: 'old', project: '42', records: 7 }])).toEqual([
      '7 envelopes are pending for project 42 with a key that no configured DSN has (old): add the old DSN to WAYSTATION_DSNS, or clear all pending envelopes, which drops them',
    ])
  })
})
