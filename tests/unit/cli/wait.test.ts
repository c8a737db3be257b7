import { describe, expect, it } from 'vitest'
import { toldItems } from '../../../collector/cli/told-items'
import { explainMissing } from '../../../collector/cli/wait'
import { readWaitWords } from '../../../collector/cli/wait-words'
import { readEvidence } from '../../../lib/verdict/evidence/read-evidence'
import { errorEnvelope } from '../../flow/envelopes'

const words = (typed: string) => {
  const read = readWaitWords(typed.split(' '), 0)
  if (!read.ok || read.value === 'help') throw new Error(JSON.stringify(read))
  return read.value
}

const errors = (messages: readonly string[]) =>
  messages.flatMap((message, index) => {
    const body = new TextEncoder().encode(errorEnvelope('http://k@127.0.0.1/1', { message }).body)
    const at = { seq: index + 1, journal: index + 1, receivedAt: 0, endpoint: 'tunnel', project: '1' } as const
    const evidence = readEvidence([
      { ...at, publicKey: 'k', stamp: null, page: null, userAgent: null, origin: null, body },
    ])
    return toldItems(evidence, new Set(['error']))
  })

describe('what is said where nothing came that was waited for', () => {
  it('is how many came, and of how many of them the nearest is', () => {
    const newest = errors(['a', 'b'])
    const at = { appUrl: null }
    const [of2] = explainMissing(words('error title=b --timeout 1'), { newest, count: 2 }, at)
    expect(of2).toBe('No error title=b came within 1 s. Of 2 that came the nearest is Error: b:')
    const [of1500] = explainMissing(words('error title=b --timeout 1'), { newest, count: 1500 }, at)
    expect(of1500).toBe('No error title=b came within 1 s. Of the newest 2 of 1500 that came the nearest is Error: b:')
  })
  it('is the one that has the word, and how a word is asked for', () => {
    const newest = errors(['the wheel came off', 'the card was declined'])
    const [first, title, hint] = explainMissing(words('error title=wheel'), { newest, count: 2 }, { appUrl: null })
    expect(first).toMatch(/ the nearest is Error: the wheel came off:$/)
    expect(title).toBe('  title  expected "wheel", got "Error: the wheel came off"')
    expect(hint).toBe('  title= wants the whole text, title~ takes a part of it')
  })
})
