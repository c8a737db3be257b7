import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { countInnerSpans } from '../../../collector/index/lists/read-counts'
import { keptSubmission, removeFolders } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

afterAll(removeFolders)

const SPANS = 21
const trace = (trace_id: string) => ({ trace: { trace_id, span_id: 'ab'.repeat(8) } })
const transaction = (id: number, spans: readonly object[]): string => {
  const hex = String(id).padStart(32, '0')
  const payload = { event_id: hex, start_timestamp: 1, timestamp: 2, contexts: trace(hex), spans }
  return `{"event_id":"${hex}"}\n{"type":"transaction"}\n${JSON.stringify(payload)}\n`
}
const children = Array.from({ length: SPANS - 1 }, (_, n) => ({
  span_id: String(n + 1).padStart(16, '0'),
  start_timestamp: 1,
  timestamp: 2,
}))
const streamed = readFileSync(
  join(import.meta.dirname, '../../fixtures/envelopes/browser-11.8-pageload-spans.envelope'),
  'utf8',
)

it('counts the spans inside of stored transactions, of all and of a stamp, but neither copies nor streamed spans', async () => {
  const folder = new RecordedFolder()
  const innerSpans = (stamp: string | null = null) => countInnerSpans(folder.db, stamp)
  const kept = { deliveryStatus: keptSubmission().deliveryStatus }
  const first = folder.receive(transaction(1, children), { ...kept, stamp: 'a' })
  folder.receive(transaction(2, []), kept)
  folder.receive(transaction(3, [{}, { span_id: 'no id' }]), kept)
  folder.receive(transaction(4, children), { endpoint: 'stream', deliveryStatus: 'copy', stamp: 'a' })
  folder.receive(streamed, { ...kept, stamp: 'a' })
  expect(innerSpans()).toBe(0)
  folder.digest()
  expect([innerSpans(), innerSpans('a'), innerSpans('b')]).toEqual([SPANS + 1 + 3, SPANS, 0])
  await folder.evict([first])
  expect([innerSpans(), innerSpans('a')]).toEqual([1 + 3, 0])
  folder.close()
})
