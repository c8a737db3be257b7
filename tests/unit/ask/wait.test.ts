import { expect, it } from 'vitest'
import { renderAnswer } from '../../../lib/ask/answer'
import type { AskSources } from '../../../lib/ask/sources'
import { waitVerb } from '../../../lib/ask/wait'
import type { SpanExpectation } from '../../../lib/wire/span-expectation'

const TRACE = 'a'.repeat(32)
const spanAt = (at: number) => ({
  ...{ label: `db SELECT ${at}`, service: 'server', traceId: TRACE, spanId: String(at).padStart(16, '0') },
})

/** Calls `wait` with an hour of time, at a collector whose journal is at `journal`. */
async function waited(journal: number, answer: SpanExpectation['answer'], cursor?: string) {
  const searches: (number | undefined)[] = []
  const client = {
    expectSpans: ({ after, wait, signal }) => {
      searches.push(after)
      const matched = answer === 'match' ? Array.from({ length: 200 }, (_, at) => spanAt(at)) : []
      const found = {
        answer,
        matched,
        message: 'the trace has no db',
        pattern: 'db',
        from: { submissions: 3, isPart: false },
      }
      if (wait === 0) return Promise.resolve(found as SpanExpectation)
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    },
  } as AskSources['client']
  const signal = new AbortController().signal
  const sources: Partial<AskSources> = { client, signal, journalOf: async () => journal, mostWaitMs: 3_600_000 }
  const args = { pattern: 'db', timeout: 3600, ...(cursor !== undefined && { cursor }) }
  const text = renderAnswer(await waitVerb.run(sources as AskSources, args), {
    ...{ asker: 'command', raw: false, call: { verb: 'wait', args } },
  })
  return { text, searches, rest: / --cursor ([\d+]+)`/.exec(text)?.[1] }
}

it('continues an answer after the journal number of its first page, without waiting', async () => {
  const first = await waited(40, 'match')
  expect(first.rest).toMatch(/^40\+\d+$/)
  const second = await waited(99, 'match', first.rest)
  expect([first.searches, second.searches]).toEqual([[40], [40]])
  const shown = [first, second].flatMap(({ text }) =>
    [...text.matchAll(/`db SELECT (\d+)`/g)].map(([, at]) => Number(at)),
  )
  expect(shown).toEqual(Array.from({ length: 200 }, (_, at) => at))
  const gone = await waited(99, 'no match', first.rest)
  expect(gone.text).toMatch(/^# Not found within 3600 s\n/)
})

it('refuses the cursor of another verb', async () => {
  await expect(waited(40, 'match', '+7')).rejects.toThrow(
    'cursor must be the cursor of an earlier answer of wait, got "+7"',
  )
})
