import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { capturedSignals, problemOf, signalOf, signalsIn } from './read-signals'

const REPLAY = 'a3426d567d20489c8aca68a25f6f8cc9'

const item = (type: string, payload: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(payload)
  return Buffer.concat([Buffer.from(`${JSON.stringify({ type, length: bytes.length })}\n`), bytes, Buffer.from('\n')])
}
const envelope = (...items: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ event_id: REPLAY })}\n`), ...items])
const event = (segment: number) =>
  item('replay_event', JSON.stringify({ replay_id: REPLAY, segment_id: segment, timestamp: 5 }))
const recording = (segment: number, recorded: Uint8Array | string) =>
  item('replay_recording', Buffer.concat([Buffer.from(`{"segment_id":${segment}}\n`), Buffer.from(recorded)]))

describe('a replay', () => {
  it('is one signal for its event and its recording, which is not inflated', () => {
    expect(capturedSignals('browser-11.8-replay')).toEqual([
      {
        kind: 'replay',
        key: `${REPLAY}/1`,
        rank: 1_795_172_354_995_000,
        timestampUs: 1_795_172_354_995_000,
        traceId: null,
        spanId: null,
        eventId: null,
        name: 'http://127.0.0.1:3210/?replay=error',
        level: null,
        environment: 'feas',
        release: 'feas@1.0.0',
        fields: {
          replayId: REPLAY,
          segment: 1,
          type: 'buffer',
          startUs: 1_795_172_348_026_600,
          durationMs: 6968.4,
          urls: [],
          errorIds: [],
          traceIds: [],
          recordingBytes: 3005,
          recordingCompressed: true,
        },
      },
    ])
  })

  it('uses the recording of its own segment', () => {
    const plain = '[{"type":4}]'
    const body = envelope(event(0), recording(0, deflateSync(plain)), event(1), recording(1, plain))
    expect(signalsIn(body).map(({ key, fields }) => [key, fields.recordingBytes, fields.recordingCompressed])).toEqual([
      [`${REPLAY}/0`, deflateSync(plain).length, true],
      [`${REPLAY}/1`, plain.length, false],
    ])
  })

  it('has no size without a recording', () => {
    expect(signalsIn(envelope(event(3)))).toMatchObject([{ fields: { segment: 3, recordingBytes: null } }])
  })

  it('may be only a recording, which a later event outranks', () => {
    const [alone] = signalsIn(envelope(recording(2, 'xx')))
    expect(alone).toMatchObject({ key: `${REPLAY}/2`, fields: { replayId: REPLAY, segment: 2, recordingBytes: 2 } })
    const [told] = signalsIn(envelope(event(2)))
    expect(told?.key).toBe(alone?.key)
    expect(told?.rank).toBeGreaterThan(alone?.rank ?? 0)
  })

  it('belongs to its trace and its error when there is exactly one of each', () => {
    const one = { replay_id: REPLAY, trace_ids: ['cd'.repeat(16)], error_ids: ['ef'.repeat(16)] }
    expect(signalOf('replay_event', one)).toMatchObject({ traceId: 'cd'.repeat(16), eventId: 'ef'.repeat(16) })
    const two = { replay_id: REPLAY, trace_ids: ['cd'.repeat(16), 'ef'.repeat(16)], error_ids: [7] }
    expect(signalOf('replay_event', two)).toMatchObject({ traceId: null, eventId: null, fields: { errorIds: ['7'] } })
  })

  it('a replay without an id, or a recording without its segment, cannot be parsed', () => {
    expect(problemOf('replay_event', { segment_id: 0 })).toMatch(/no replay_id/)
    expect(problemOf('replay_recording', 'no line of JSON')).toMatch(/no segment_id/)
  })
})
