import { expect, it } from 'vitest'
import { buildSpanTree, nodesOf } from '../../../lib/protocol/trace/span-tree'
import { ownFiles } from '../../bench/board-bytes'
import { parse } from '../../bench/relay'
import { HexSupply, RenewingRequest } from '../../bench/renewing-request'
import { parse as parseScale } from '../../bench/scale'
import { bloatOf } from '../../bench/scale-deliveries'
import { setupsOf } from '../../bench/scale-setups'
import { countRecords, recordAt } from '../../bench/store-records'
import { buildTrace, spansOf } from '../../bench/trace-envelopes'

it('reads the flags of a benchmark, with other default values for --quick', () => {
  expect(parse([])).toMatchObject({ value: { records: 12_000, rounds: 3, server: null, profile: false } })
  expect(parse(['--quick', '--rounds=2'])).toMatchObject({ value: { records: 5000, rounds: 2 } })
  expect(parse(['--server=echo'])).toEqual({ ok: false, error: '--server must be stand-in or counter, got "echo"' })
  expect(parse(['--records=99'])).toMatchObject({ error: '--records must be an integer of at least 2500, got "99"' })
  expect(parse(['quick'])).toMatchObject({ error: 'bench:relay takes only flags, got "quick"' })
})

it('measures SQLite and each given number of collectors on PostgreSQL', () => {
  expect(parseScale([])).toMatchObject({ value: { rounds: 3, collectors: [1, 2, 4], roles: false } })
  expect(parseScale(['--quick', '--deliveries=1000000'])).toMatchObject({
    value: { rounds: 1, collectors: [1, 2], deliveries: 1_000_000 },
  })
  expect(parseScale(['--collectors=2,x'])).toEqual({
    ok: false,
    error: '--collectors must be positive integers, separated by commas, got "2,x"',
  })
  const setups = setupsOf([1, 3], true)
  expect(setups.map(({ engine, roles }) => [engine, ...roles])).toEqual([
    ['SQLite', null],
    ['PostgreSQL', null],
    ['PostgreSQL', null, null, null],
    ['PostgreSQL', 'intake,relay', 'intake,relay', 'query'],
  ])
})

it('compares tables with rewritten ones by the bytes of all of them', () => {
  const small = { table: 'pending', bytes: 10, rewrittenBytes: 0 }
  expect(bloatOf([{ table: 'records', bytes: 95, rewrittenBytes: 100 }, small])).toBeCloseTo(0.05)
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

it.each([2, 1001, 1002, 2500])('builds a trace of %i spans below one root', (count) => {
  const trace = buildTrace(count)
  const { roots } = buildSpanTree(spansOf(trace))
  expect(roots).toMatchObject([{ orphan: false, span: { name: 'bench 0', parentSpanId: null } }])
  expect(nodesOf(roots)).toHaveLength(count)
  expect(trace.bodies).toHaveLength(1 + Math.ceil((count - 1) / 1000))
})

it('counts as own what no other board loads at first, and what the board itself loads later', () => {
  const file = (name: string | null, ...imports: readonly (readonly [string, string])[]) => ({
    ...(name !== null && { entryPoint: `dashboards/${name}.tsx` }),
    ...{ inputs: {}, imports: imports.map(([path, kind]) => ({ path, kind })) },
  })
  const [now, later] = ['import-statement', 'dynamic-import']
  const outputs = {
    'boards.js': file('site/boards', ['react.js', now], ['a.js', later], ['b.js', later]),
    'a.js': file('a/a-board', ['react.js', now], ['both.js', now], ['own.js', now], ['view.js', later]),
    'b.js': file('b/b-board', ['both.js', now], ['view.js', later]),
    'view.js': file('a/view', ['parts.js', now], ['both.js', now]),
    ...{ 'react.js': file(null), 'both.js': file(null), 'own.js': file(null), 'parts.js': file(null) },
  }
  expect(ownFiles(outputs, 'a/a-board', ['a/a-board', 'b/b-board'])).toEqual({
    first: ['a.js', 'own.js'],
    whole: ['a.js', 'own.js', 'view.js', 'parts.js'],
  })
})
