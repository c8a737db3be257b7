import { expect, it } from 'vitest'
import { nameTests } from '../../../../lib/verdict/reports/name-tests'
import type { Finding } from '../../../../lib/verdict/verdict'
import { observed } from '../arrival/observed-test'
import { containerOf, drawn, evidenceOf } from '../rules/sample-evidence'
import { failing, finding, judged, report } from './sample-reports'

it('names the test of a finding by the stamp of its item, envelope or trace', () => {
  const traceId = 'c'.repeat(32)
  const page = { body: containerOf(drawn('pageload /  =='), { traceId }), stamp: 'cart-aa' }
  const server = containerOf(drawn('http.server GET /  =='), { service: 'server', ids: '1', traceId })
  const evidence = evidenceOf(page, server)
  const [first, second] = evidence.items
  if (first === undefined || second === undefined) throw new Error('two items were sent')
  const at = { seq: first.seq, item: first.item }
  const found: readonly Partial<Finding>[] = [
    { at },
    { at: { ...at, item: -1 } },
    { at: { seq: second.seq, item: second.item, traceId } },
    { at: { seq: second.seq, item: second.item } },
    { at: null },
    { at, test: 'pays (pay.spec.ts:3)' },
  ]
  const given = report({ judged: [judged(), judged({ verdict: failing(found.map(finding)) })] })
  const named = nameTests(given, evidence, [observed({ stamp: 'cart-aa', test: 'shows the cart (cart.spec.ts:12)' })])
  expect(
    named.judged.flatMap(({ verdict }) => (verdict.verdict === 'fail' ? verdict.findings : [])).map(({ test }) => test),
  ).toEqual([
    'shows the cart (cart.spec.ts:12)',
    'shows the cart (cart.spec.ts:12)',
    'shows the cart (cart.spec.ts:12)',
    undefined,
    undefined,
    'pays (pay.spec.ts:3)',
  ])
  expect(named.judged[0]).toEqual(given.judged[0])
})
