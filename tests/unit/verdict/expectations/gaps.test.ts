import { describe, expect, it } from 'vitest'
import { gapsOf, type Look } from '../../../../lib/verdict/expectations/gaps'

const NOTHING = { records: 0, bytes: 0, rowsOnly: 0, expired: 0, deadLetters: 0 }
const look = (
  given: { startedAt?: number; evicted?: number; refused?: number; refusals?: Look['overview']['refusals'] } = {},
): Look => ({
  overview: { startedAt: given.startedAt ?? 1, refusals: given.refusals ?? [] },
  storage: { evicted: { ...NOTHING, records: given.evicted ?? 0 }, refused: given.refused ?? 0 },
})

describe('what was recorded', () => {
  it('is whole where nothing says otherwise', () => {
    expect(gapsOf({ before: look(), after: look(), pages: [{ damaged: [] }] })).toEqual([])
  })

  it('is whole where what is missing went before it began', () => {
    const then = look({ evicted: 3, refused: 2, refusals: [{ reason: 'bad_key', envelopes: 4 }] })
    expect(gapsOf({ before: then, after: then, pages: [] })).toEqual([])
  })

  it.each<[string, Parameters<typeof gapsOf>[0], string]>([
    [
      'the collector was started again',
      { before: look(), after: look({ startedAt: 2 }), pages: [] },
      'the collector was started again meanwhile: what was sent while it was away may not have arrived',
    ],
    [
      'something made room',
      { before: look({ evicted: 3 }), after: look({ evicted: 4 }), pages: [] },
      '1 submission made room for newer ones: raise WAYSTATION_MAX_DISK',
    ],
    [
      'something made room ever, and nobody looked before',
      { before: null, after: look({ evicted: 4 }), pages: [] },
      '4 submissions made room for newer ones: raise WAYSTATION_MAX_DISK',
    ],
    [
      'there was no room',
      { before: look(), after: look({ refused: 2 }), pages: [] },
      '2 submissions found no room: raise WAYSTATION_MAX_DISK',
    ],
    [
      'there was no room ever, and nobody looked before',
      { before: null, after: look({ refused: 2 }), pages: [] },
      '2 submissions found no room: raise WAYSTATION_MAX_DISK',
    ],
    [
      'the endpoint refused something',
      {
        before: look({ refusals: [{ reason: 'bad_key', envelopes: 1 }] }),
        after: look({
          refusals: [
            { reason: 'bad_key', envelopes: 3 },
            { reason: 'too_large', envelopes: 1 },
          ],
        }),
        pages: [],
      },
      '3 envelopes were refused at the endpoint: 2 bad_key, 1 too_large',
    ],
    [
      'bytes are damaged',
      { before: look(), after: look(), pages: [{ damaged: [4] }, { damaged: [9, 10] }] },
      '3 submissions cannot be read any more: the bytes on disk are damaged',
    ],
    [
      'there was too much to look at',
      { before: look(), after: look(), pages: [], leftOut: 1 },
      '1 submission, the oldest, was not looked at: there are too many',
    ],
  ])('is not whole where %s', (_what, window, sentence) => {
    expect(gapsOf(window)).toEqual([sentence])
  })
})
