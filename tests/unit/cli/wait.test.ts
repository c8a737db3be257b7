import { describe, expect, it } from 'vitest'
import { explainMissing, readWaitArguments } from '../../../collector/cli/wait'
import { describeItems } from '../../../lib/ask/items/describe-items'
import { readEvidence } from '../../../lib/verdict/evidence/read-evidence'
import { errorEnvelope } from '../../flow/envelopes'
import { valueIn } from '../value-in'

const parse = (typed: string) => valueIn(readWaitArguments(typed.split(' '), 0))

const errors = (messages: readonly string[]) =>
  messages.flatMap((message, index) => {
    const body = new TextEncoder().encode(errorEnvelope('http://k@127.0.0.1/1', { message }).body)
    const at = { seq: index + 1, journal: index + 1, receivedAt: 0, endpoint: 'tunnel', project: '1' } as const
    const evidence = readEvidence([
      { ...at, publicKey: 'k', stamp: null, page: null, userAgent: null, origin: null, body },
    ])
    return describeItems(evidence, new Set(['error']))
  })

describe('the message when the item does not arrive', () => {
  it('contains how many items arrived, and how many were compared', () => {
    const newest = errors(['a', 'b'])
    const at = { appUrl: null }
    const [of2] = explainMissing(parse('error title=b --timeout 1'), { newest, count: 2 }, at)
    expect(of2).toBe('No error title=b arrived within 1 s. The nearest of 2 that arrived is Error: b:')
    const [of1500] = explainMissing(parse('error title=b --timeout 1'), { newest, count: 1500 }, at)
    expect(of1500).toBe(
      'No error title=b arrived within 1 s. The nearest of the newest 2 of 1500 that arrived is Error: b:',
    )
  })
  it('names the item that contains the text, and the operator for parts', () => {
    const newest = errors(['the wheel came off', 'the card was declined'])
    const [first, title, hint] = explainMissing(parse('error title=wheel'), { newest, count: 2 }, { appUrl: null })
    expect(first).toMatch(/The nearest of 2 that arrived is Error: the wheel came off:$/)
    expect(title).toBe('  title  expected "wheel", got "Error: the wheel came off"')
    expect(hint).toBe('  title= matches the whole text, title~ matches a part of it')
  })
})
