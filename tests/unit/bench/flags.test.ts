import { describe, expect, it } from 'vitest'
import { ATTACK, INGEST, KIT, QUERY, RELAY, START } from '../../bench/flags'

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
    expect(INGEST.parse([])).toEqual({ ok: true, value: plain })
    expect(INGEST.parse(['--quick', '--rate=100', '--only-bursts', '--sender=fetch'])).toEqual({
      ok: true,
      value: { ...plain, quick: true, rounds: 1, rate: 100, onlyBursts: true, via: 'fetch' },
    })
    expect(QUERY.parse(['--quick'])).toMatchObject({ value: { segments: 20_000, asks: 40, rate: null } })
    expect(QUERY.parse(['--segments=1000', '--only=text'])).toMatchObject({
      value: { segments: 1000, only: 'text' },
    })
    expect(RELAY.parse(['--quick'])).toEqual({
      ok: true,
      value: { records: 5000, rounds: 1, profile: false, servers: ['stand-in', 'counter'] },
    })
    expect(KIT.parse(['--quick', '--only=judge'])).toMatchObject({
      value: { traces: 2000, rounds: 1, parts: ['judge'] },
    })
    expect(START.parse(['--idle=5'])).toEqual({ ok: true, value: { envelopes: 1000, idleSeconds: 5, rounds: 5 } })
    expect(KIT.parse([])).toMatchObject({ value: { traces: 10_000, rounds: 3 } })
  })

  it.each([
    [INGEST, '--rate=0', '--rate must be a positive number of envelopes per second, at least 1, got "0"'],
    [QUERY, '--rate=abc', '--rate must be a positive number of envelopes per second, at least 1, got "abc"'],
    [INGEST, '--rounds=1.5', '--rounds must be a positive integer, got "1.5"'],
    [INGEST, '--sender=udp', '--sender must be socket or fetch, got "udp"'],
    [QUERY, '--segments=999', '--segments must be an integer of at least 1000, got "999"'],
    [RELAY, '--server=echo', '--server must be stand-in or counter, got "echo"'],
    [RELAY, '--records=99', '--records must be an integer of at least 2500, got "99"'],
    [KIT, '--only=tea', '--only must be wait or judge, got "tea"'],
    [KIT, '--traces=0', '--traces must be a positive integer, got "0"'],
    [QUERY, '--asks=0', '--asks must be a positive integer, got "0"'],
    [ATTACK, '--seconds=1', '--seconds must be an integer of at least 3, got "1"'],
    [KIT, 'quick', 'bench:kit takes only flags, got "quick"'],
  ])('are refused with the valid values (%#)', ({ parse }, argument, error) => {
    expect(parse([argument])).toEqual({ ok: false, error })
  })

  it('are refused when unknown', () => {
    expect(QUERY.parse(['--quik'])).toMatchObject({ ok: false, error: expect.stringContaining('--quik') })
  })
})
