import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readSegments } from '../../../collector/index/lists/read-segments'
import { readTraces } from '../../../collector/index/lists/read-traces'
import { READ_BOUNDS } from '../../../lib/wire/fill-page'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { NEWEST, readCursor } from '../../../lib/wire/list-paging'
import { removeFolders } from '../spool/in-process-spool'
import { pagesOf, RecordedFolder } from './recorded-folder'

const START = 1_795_000_000
let folder: RecordedFolder

beforeEach(() => {
  folder = new RecordedFolder()
  return () => folder.close()
})
afterAll(removeFolders)

const idOf = (n: number): string => n.toString(16).padStart(32, '0')

function transaction(
  trace: number,
  name: string,
  given: { readonly op?: string; readonly span?: string } = {},
): string {
  const { op = 'pageload', span = '1' } = given
  const item = {
    type: 'transaction',
    transaction: name,
    platform: op === 'pageload' ? 'javascript' : 'node',
    start_timestamp: START,
    timestamp: START + 1,
    contexts: { trace: { trace_id: idOf(trace), span_id: span.repeat(16), op } },
  }
  return `{}\n{"type":"transaction"}\n${JSON.stringify(item)}`
}

function error(trace: number, message: string): string {
  const item = { message, contexts: { trace: { trace_id: idOf(trace), span_id: '1'.repeat(16) } } }
  return `{}\n{"type":"event"}\n${JSON.stringify(item)}`
}

async function receive(body: string, stamp: string | null = null): Promise<number> {
  const seq = await folder.receive(body, { stamp })
  folder.digest()
  return seq
}

const page = (filter: ListFilter, limit = 50, cursor: string | null = null) =>
  readTraces(folder.db, filter, readCursor(cursor) ?? NEWEST, { limit })
const found = (filter: ListFilter): readonly number[] =>
  page(filter).traces.map(({ traceId }) => Number(`0x${traceId}`))

it('a trace that grows is found by the title of its error, its service and the status error', async () => {
  await receive(transaction(1, '/cart'))
  await receive(transaction(2, '/cart'))
  expect(found({ text: ['payment'] })).toEqual([])
  const last = await receive(error(1, 'payment refused'), 'run')
  expect(found({ text: ['payment', 'cart'] })).toEqual([1])
  expect(found({ status: 'error' })).toEqual([1])
  expect(found({ stamp: 'run' })).toEqual([1])
  await folder.evict([last])
  for (const filter of [{ text: ['payment'] }, { status: 'error' }, { stamp: 'run' }] as const)
    expect(found(filter)).toEqual([])
  expect(found({ text: ['cart'] })).toEqual([2, 1])
})

it('a trace that grows is renamed by a page load, and found by the new name only', async () => {
  await receive(transaction(1, 'GET /cart', { op: 'http.server', span: '2' }))
  expect(found({ op: 'http.server' })).toEqual([1])
  await receive(transaction(1, '/cart'))
  expect([found({ op: 'http.server' }), found({ op: 'pageload' })]).toEqual([[], [1]])
  expect(found({ service: 'server' })).toEqual([1])
  // `text=` still finds it by the words of its segments.
  expect(found({ text: ['get'] })).toEqual([1])
})

it('a trace that grows keeps its position until its first record is evicted', async () => {
  const first = await receive(transaction(1, '/cart'))
  await receive(transaction(2, '/cart'))
  await receive(transaction(1, 'GET /cart', { op: 'http.server', span: '2' }))
  expect(found({ text: ['cart'] })).toEqual([2, 1])
  await folder.evict([first])
  expect(found({ text: ['cart'] })).toEqual([1, 2])
})

it('a trace that grows does not shift pages: new rows are above the cursor', async () => {
  for (const trace of [1, 2, 3, 4]) await receive(transaction(trace, '/cart'))
  const first = page({ op: 'pageload' }, 2)
  await receive(transaction(5, '/cart'))
  await receive(error(1, 'late'))
  const second = page({ op: 'pageload' }, 2, first.next)
  expect([...first.traces, ...second.traces].map(({ traceId }) => Number(`0x${traceId}`))).toEqual([4, 3, 2, 1])
  expect(second.next).toBeNull()
})

describe('traces of one record', () => {
  /** A container of streamed spans, each the segment of another trace. */
  function container(from: number, count: number, name: string): string {
    const items = Array.from({ length: count }, (_, index) => ({
      trace_id: idOf(from + index),
      span_id: '1'.repeat(16),
      name,
      is_segment: true,
      start_timestamp: START,
      end_timestamp: START + 1,
    }))
    const header = { type: 'span', item_count: count, content_type: 'application/vnd.sentry.items.span.v2+json' }
    return `{}\n${JSON.stringify(header)}\n${JSON.stringify({ version: 2, items })}`
  }

  it('have different positions and come page by page', async () => {
    await receive(container(1, 25, 'tick'))
    const pages = pagesOf((cursor) => page({ name: 'tick' }, 10, cursor))
    expect(pages.map(({ traces }) => traces.length)).toEqual([10, 10, 5])
    expect(new Set(pages.flatMap(({ traces }) => traces.map(({ traceId }) => traceId))).size).toBe(25)
    const segments = pagesOf((cursor) =>
      readSegments(folder.db, { name: 'tick' }, readCursor(cursor) ?? NEWEST, { limit: 10 }),
    )
    expect(new Set(segments.flatMap((one) => one.segments.map(({ traceId }) => traceId))).size).toBe(25)
  })

  it('traces that match only by terms end a page early, and the next page continues', async () => {
    await receive(transaction(1, 'checkers'))
    for (let n = 0; n * 1000 <= READ_BOUNDS.rows; n += 1) await receive(container(2 + n * 1000, 1000, 'checkpoint'))
    // A token of six letters is found by its first five, then compared.
    const pages = pagesOf((cursor) => page({ text: ['checke'] }, 50, cursor))
    expect(pages.map(({ traces }) => traces.map(({ name }) => name))).toEqual([[], ['checkers']])
  }, 30_000)
})
