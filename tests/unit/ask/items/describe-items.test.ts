import { describe, expect, it } from 'vitest'
import { describeItems, itemJson, itemKind, itemLine } from '../../../../lib/ask/items/describe-items'
import { errorEnvelope, transactionEnvelope } from '../../../flow/envelopes'
import { evidenceOf as ofSubmissions } from '../../verdict/rules/sample-evidence'

const DSN = 'http://local@127.0.0.1:8969/1'
const at = Date.parse('2026-11-21T10:00:00.123Z')

const evidenceOf = (...bodies: string[]) => ofSubmissions(...bodies.map((body) => ({ body, receivedAt: at })))

const lines = (evidence: ReturnType<typeof evidenceOf>, kinds: readonly string[] = [], localOnly = true) =>
  describeItems(evidence, new Set(kinds)).map((item) => itemLine(item, { localOnly }))

describe('the items that arrived', () => {
  it('are transactions and errors in the order of arrival, without their parts', () => {
    const evidence = evidenceOf(transactionEnvelope(DSN).body, errorEnvelope(DSN, { message: 'late' }).body)
    expect(lines(evidence)).toEqual([
      '10:00:00.123 browser  transaction   pageload /checkout (1.5 s) #1 ● kept',
      '10:00:00.123 browser  error         Error: late (error) #2 ● kept',
    ])
    expect(lines(evidence, [], false)[0]).toMatch(/#1 … pending$/)
  })

  it('include parts on request', () => {
    const evidence = evidenceOf(transactionEnvelope(DSN, { children: 1 }).body, errorEnvelope(DSN).body)
    expect(lines(evidence, ['span', 'breadcrumb'])).toEqual([
      '10:00:00.123 browser  span          pageload /checkout (1.5 s) #1 ● kept',
      '10:00:00.123 browser  span          http.client GET /api/0 (10 ms) #1 ● kept',
      '10:00:00.123 -        breadcrumb    ui.click step 0 #2 ● kept',
      '10:00:00.123 -        breadcrumb    ui.click step 1 #2 ● kept',
    ])
    expect(lines(evidence, ['item']).map((line) => line.slice(22))).toEqual([
      'item          transaction #1 ● kept',
      'item          event #2 ● kept',
    ])
  })

  it('include unknown types and unreadable payloads', () => {
    const header = JSON.stringify({ dsn: DSN })
    const evidence = evidenceOf(`${header}\n{"type":"riddle"}\n{}`, `${header}\n{"type":"event"}\nno json`)
    expect(lines(evidence).map((line) => line.slice(22, 42))).toEqual(['item          riddle', 'item          event '])
  })

  it('are printed without control characters', () => {
    const evidence = evidenceOf(errorEnvelope(DSN, { message: 'a\u001b[31mb\u202ec\u009b\nd' }).body)
    const [item] = describeItems(evidence, new Set())
    if (item === undefined) throw new Error('no item')
    for (const line of [itemLine(item, { localOnly: true }), itemJson(item)])
      expect(line).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(JSON.parse(itemJson(item))).toMatchObject({ kind: 'error', title: 'Error: a\u001b[31mb\u202ec\u009b\nd' })
  })

  it('have kinds with several spellings', () => {
    expect(['clientReport', 'client_report', 'client-report', 'check-in', 'errors'].map(itemKind)).toEqual([
      'client-report',
      'client-report',
      'client-report',
      'check-in',
      null,
    ])
  })
})
