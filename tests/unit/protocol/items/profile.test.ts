import { describe, expect, it } from 'vitest'
import { capturedSignals, problemOf, signalOf } from './read-signals'

describe('a profile', () => {
  it('the profile of a transaction has a duration and a number of samples, not the samples', () => {
    const [profile] = capturedSignals('browser-7.80-profile')
    expect(profile).toMatchObject({
      kind: 'profile',
      key: 'b14dbd1ea5ef4062b06e78b58711b1cc',
      traceId: 'c4376748c9f946f7ab465dfa171e4f56',
      eventId: '2efe35c957834c2ab9c7b9650cd1e808',
      name: '/',
      fields: { platform: 'javascript', version: '1', durationMs: 1096.8 },
    })
    expect(JSON.stringify(profile)).not.toContain('stack_id')
  })

  it('may be a chunk of a continuous profiler', () => {
    expect(capturedSignals('browser-11.8-profile-chunk')).toMatchObject([
      {
        kind: 'profile',
        key: 'dfe66d79e0e4462384e90fadb6c240be',
        name: 'profiler ad44b795d3af40468aab1d1324d7548b',
        timestampUs: 1_795_172_358_610_300,
        fields: { samples: 119, platform: 'javascript', durationMs: expect.closeTo(1217.4, 1) },
      },
    ])
  })

  it.each([
    ['2022-09-01T09:45:00.000Z', 1_662_025_500_000_000],
    [1_662_025_500.25, 1_662_025_500_250_000],
  ])('may be a chunk whose only time is %s', (timestamp, timestampUs) => {
    expect(signalOf('profile_chunk', { timestamp, profile: { samples: [{ stack_id: 0 }] } })).toMatchObject({
      timestampUs,
    })
  })

  it.each(['profile_chunk', 'profile_chunk_ui'])('%s may have no fields', (type) => {
    expect(signalOf(type, {})).toMatchObject({ key: null, fields: { samples: null, durationMs: null, bytes: 2 } })
  })

  it('a profile with malformed samples has no duration', () => {
    const samples = [{ elapsed_since_start_ns: 'x', timestamp: 'y' }]
    expect(signalOf('profile', { profile: { samples } }).fields).toMatchObject({ samples: 1, durationMs: null })
    expect(signalOf('profile_chunk', { profile: { samples } }).fields).toMatchObject({ samples: 1, durationMs: null })
  })

  it('the profile of a phone has its duration in a field', () => {
    expect(signalOf('profile', { duration_ns: 2e9, sampled_profile: 'AAAA' }).fields).toMatchObject({
      samples: null,
      durationMs: 2000,
    })
  })

  it('cannot be parsed when it is not JSON', () => {
    expect(problemOf('profile', 'x')).toBe('the payload is not JSON')
  })
})
