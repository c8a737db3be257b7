import { describe, expect, it } from 'vitest'
import { parseIngestFlags } from '../../bench/ingest-flags'
import { parseKitFlags } from '../../bench/kit-flags'
import { parseQueryFlags } from '../../bench/query-flags'
import { parseRelayFlags } from '../../bench/relay-flags'

describe('the flags of a benchmark', () => {
  it('have default values, and others with --quick', () => {
    const plain = {
      quick: false,
      via: 'socket',
      rate: null,
      rounds: 3,
      spotlight: false,
      profile: false,
      onlyBursts: false,
    }
    expect(parseIngestFlags([])).toEqual({ ok: true, value: plain })
    expect(parseIngestFlags(['--quick', '--rate=100', '--only-bursts', '--sender=fetch'])).toEqual({
      ok: true,
      value: { ...plain, quick: true, rounds: 1, rate: 100, onlyBursts: true, via: 'fetch' },
    })
    expect(parseQueryFlags(['--quick'])).toMatchObject({ value: { segments: 20_000, asks: 40, rate: null } })
    expect(parseQueryFlags(['--segments=1000', '--only=text'])).toMatchObject({
      value: { segments: 1000, only: 'text' },
    })
    expect(parseRelayFlags(['--quick'])).toEqual({
      ok: true,
      value: { records: 5000, rounds: 1, profile: false, servers: ['stand-in', 'counter'] },
    })
    expect(parseKitFlags(['--quick', '--only=judge'])).toMatchObject({
      value: { traces: 2000, rounds: 1, parts: ['judge'] },
    })
    expect(parseKitFlags([])).toMatchObject({ value: { traces: 10_000, rounds: 3 } })
  })

  it.each([
    [parseIngestFlags, '--rate=0', '--rate=0: meant are envelopes a second, 1 or more'],
    [parseQueryFlags, '--rate=many', '--rate=many: meant are envelopes a second, 1 or more'],
    [parseIngestFlags, '--rounds=1.5', '--rounds=1.5: meant is a count, 1 or more'],
    [parseIngestFlags, '--sender=udp', '--sender=udp: meant is socket or fetch'],
    [parseQueryFlags, '--segments=999', '--segments=999: meant is a count, 1000 or more'],
    [parseRelayFlags, '--server=echo', '--server=echo is none: meant is stand-in or counter'],
    [parseRelayFlags, '--records=99', '--records=99: meant is a count, 2500 or more'],
    [parseKitFlags, '--only=tea', '--only=tea is none: meant is wait or judge'],
    [parseKitFlags, '--traces=0', '--traces=0: meant is a count, 1 or more'],
    [parseQueryFlags, '--asks=0', '--asks=0: meant is a count, 1 or more'],
  ])('are refused with the valid values (%#)', (parse, word, error) => {
    expect(parse([word])).toEqual({ ok: false, error })
  })

  it('are refused when unknown', () => {
    expect(parseQueryFlags(['--quik'])).toMatchObject({ ok: false, error: expect.stringContaining('--quik') })
  })
})
