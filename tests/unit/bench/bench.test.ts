import { expect, it } from 'vitest'
import { parse } from '../../bench/relay'
import { HexSupply, RenewingRequest } from '../../bench/renewing-request'
import { countRecords, recordAt } from '../../bench/store-records'

it('reads the flags of a benchmark, with other default values for --quick', () => {
  expect(parse([])).toMatchObject({ value: { records: 12_000, rounds: 3, server: null, profile: false } })
  expect(parse(['--quick', '--rounds=2'])).toMatchObject({ value: { records: 5000, rounds: 2 } })
  expect(parse(['--server=echo'])).toEqual({ ok: false, error: '--server must be stand-in or counter, got "echo"' })
  expect(parse(['--records=99'])).toMatchObject({ error: '--records must be an integer of at least 2500, got "99"' })
  expect(parse(['quick'])).toMatchObject({ error: 'bench:relay takes only flags, got "quick"' })
})

it.each(['envelope', 'mixed', 'otlp'] as const)('sends another %s each time, of the same length', (body) => {
  const one = new RenewingRequest({ host: 'x', path: '/', body, seed: 7 })
  const supply = new HexSupply()
  const sent = Array.from({ length: 3 }, (_, second) => {
    one.renew(supply, 1_800_000_000 + second)
    return one.bytes.toString('latin1')
  })
  expect(new Set(sent).size).toBe(3)
  for (const text of sent)
    expect(Number(/Content-Length: (\d+)/.exec(text)?.[1])).toBe(text.length - text.indexOf('\r\n\r\n') - 4)
})

it('makes the same record for the same number, so that an interrupted fill can continue', () => {
  const plan = { segments: 100, newest: 1_800_000_000_000 }
  const numbers = [1, 2, 11, countRecords(plan)]
  const make = () => numbers.map((number) => recordAt(plan, number))
  expect(make()).toEqual(make())
  expect(new Set(make().map(({ receipt }) => receipt)).size).toBe(numbers.length)
})
