import { describe, expect, it } from 'vitest'
import { itemJson, itemKind, itemLine, toldItems } from '../../../collector/cli/told-items'
import { errorEnvelope, transactionEnvelope } from '../../flow/envelopes'
import { evidenceOf as ofSubmissions } from '../verdict/rules/sample-evidence'

const DSN = 'http://local@127.0.0.1:8969/1'
const at = Date.parse('2026-11-21T10:00:00.123Z')

const evidenceOf = (...bodies: string[]) => ofSubmissions(...bodies.map((body) => ({ body, receivedAt: at })))

const lines = (evidence: ReturnType<typeof evidenceOf>, kinds: readonly string[] = [], localOnly = true) =>
  toldItems(evidence, new Set(kinds)).map((told) => itemLine(told, { localOnly }))

describe('what arrived, a line each', () => {
  it('tells transactions and errors in the order in which they came, and no parts of them', () => {
    const evidence = evidenceOf(transactionEnvelope(DSN).body, errorEnvelope(DSN, { message: 'late' }).body)
    expect(lines(evidence)).toEqual([
      '10:00:00.123 browser  transaction   pageload /checkout (1.50 s) #1 ● kept',
      '10:00:00.123 browser  error         Error: late (error) #2 ● kept',
    ])
    expect(lines(evidence, [], false)[0]).toMatch(/#1 … pending$/)
  })

  it('tells the parts where they are asked for', () => {
    const evidence = evidenceOf(transactionEnvelope(DSN, { children: 1 }).body, errorEnvelope(DSN).body)
    expect(lines(evidence, ['span', 'breadcrumb'])).toEqual([
      '10:00:00.123 browser  span          pageload /checkout (1.50 s) #1 ● kept',
      '10:00:00.123 browser  span          http.client GET /api/0 (10 ms) #1 ● kept',
      '10:00:00.123 -        breadcrumb    ui.click step 0 #2 ● kept',
      '10:00:00.123 -        breadcrumb    ui.click step 1 #2 ● kept',
    ])
    expect(lines(evidence, ['item']).map((line) => line.slice(22))).toEqual([
      'item          transaction #1 ● kept',
      'item          event #2 ● kept',
    ])
  })

  it('tells of what nobody knows and of what cannot be read', () => {
    const header = JSON.stringify({ dsn: DSN })
    const evidence = evidenceOf(`${header}\n{"type":"riddle"}\n{}`, `${header}\n{"type":"event"}\nno json`)
    expect(lines(evidence).map((line) => line.slice(22, 42))).toEqual(['item          riddle', 'item          event '])
  })

  it('obeys nothing that stands in it, on a line or as JSON', () => {
    const evidence = evidenceOf(errorEnvelope(DSN, { message: 'a\u001b[31mb\u202ec\u009b\nd' }).body)
    const [told] = toldItems(evidence, new Set())
    if (told === undefined) throw new Error('nothing was told')
    for (const line of [itemLine(told, { localOnly: true }), itemJson(told)])
      expect(line).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(JSON.parse(itemJson(told))).toMatchObject({ kind: 'error', title: 'Error: a\u001b[31mb\u202ec\u009b\nd' })
  })

  it('knows a kind by each of its spellings', () => {
    expect(['clientReport', 'client_report', 'client-report', 'check-in', 'errors'].map(itemKind)).toEqual([
      'client-report',
      'client-report',
      'client-report',
      'check-in',
      null,
    ])
  })
})
