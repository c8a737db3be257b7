import { expect, it } from 'vitest'
import { OpenedTrace, readAhead, takeTrace } from '../../../dashboards/traces/opened-trace'
import type { TraceSummary } from '../../../lib/wire/trace'
import type { TracePiece } from '../../../lib/wire/trace-columns'
import { spanIn } from './drawn-trace'

const [ONE, OTHER] = ['a'.repeat(32), 'b'.repeat(32)] as const
const { signal } = new AbortController()

/** Answers of one span each; each end waits for `go`. */
function answers() {
  const requests: (readonly [traceId: string, signal: AbortSignal | undefined])[] = []
  let go = (): void => undefined
  const gone = new Promise<void>((resolve) => {
    go = resolve
  })
  async function* pieces(traceId: string, _options: object, of: AbortSignal | undefined): AsyncGenerator<TracePiece> {
    requests.push([traceId, of])
    const lists = { segments: [], submissions: [], errors: [], breadcrumbs: [] }
    yield { kind: 'head', summary: { traceId, spanCount: 1 } as TraceSummary, lists }
    yield { kind: 'spans', spans: [spanIn('s')] }
    await gone
    yield { kind: 'end', end: { journal: 1, gaps: [], spans: 1, dropped: { attributes: 0, events: 0, links: 0 } } }
  }
  return { requests, pieces, go: () => go() }
}

it('a page takes the trace whose first spans were read ahead, and reads it once', async () => {
  const { requests, pieces, go } = answers()
  await readAhead(ONE, pieces)
  const taken = takeTrace(ONE, pieces)
  expect(taken.current()).toMatchObject({ received: 1, isWhole: false })
  const reading = taken.read(signal)
  go()
  await reading
  expect(taken.current()).toMatchObject({ isWhole: true })
  expect(requests.map(([traceId]) => traceId)).toEqual([ONE])
  expect(takeTrace(ONE, pieces)).not.toBe(taken)
})

it('another page reads its own trace, and a later read ahead ends the earlier one', async () => {
  const { requests, pieces } = answers()
  await readAhead(ONE, pieces)
  await readAhead(OTHER, pieces)
  expect(requests.map(([, of]) => of?.aborted)).toEqual([true, false])
  expect(takeTrace(ONE, pieces).current()).toBeUndefined()
  await readAhead('no id', pieces)
  expect(requests).toHaveLength(2)
})

it('a read ahead that failed is done again by the page, which reports why', async () => {
  let calls = 0
  const failing = (): AsyncIterable<TracePiece> => ({
    [Symbol.asyncIterator]: () => ({
      next: () => {
        calls += 1
        return Promise.reject(new Error(`no answer ${calls}`))
      },
    }),
  })
  await readAhead(ONE, failing)
  await expect(takeTrace(ONE, failing).read(signal)).rejects.toThrow('no answer 2')
  await expect(new OpenedTrace(ONE, failing).read(signal)).rejects.toThrow('no answer 3')
})
