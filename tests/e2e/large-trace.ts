import { expect, type Page } from '@playwright/test'

const SEGMENTS = 20
const SPANS_EACH = 1000
const START_S = 1_795_000_000

const newId = (): string => crypto.randomUUID().replaceAll('-', '')
const newSpanId = (): string => newId().slice(0, 16)

/** Sends a trace of 20,020 spans: a request that calls 20 services one after the other, each with 1,000 queries. */
export async function sendLargeTrace(send: (body: string) => Promise<unknown>): Promise<string> {
  const [traceId, root] = [newId(), newSpanId()]
  const calls = Array.from({ length: SEGMENTS }, (_, at) => ({ spanId: newSpanId(), from: at, to: at + 1 }))
  const spanOf = (spanId: string, parent: string, from: number, to: number, op: string, description: string) => ({
    ...{ trace_id: traceId, span_id: spanId, parent_span_id: parent, op, description, status: 'ok' },
    ...{ start_timestamp: START_S + from, timestamp: START_S + to },
  })
  const transaction = (spanId: string, from: number, to: number, name: string, spans: readonly object[], parent = {}) =>
    [
      { event_id: newId() },
      { type: 'transaction' },
      {
        ...{ type: 'transaction', event_id: newId(), transaction: name, platform: 'node', spans },
        ...{ start_timestamp: START_S + from, timestamp: START_S + to },
        contexts: { trace: { trace_id: traceId, span_id: spanId, op: 'http.server', status: 'ok', ...parent } },
      },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n')
  const clients = calls.map(({ spanId, from, to }) =>
    spanOf(spanId, root, from, to, 'http.client', `GET /part/${from}`),
  )
  await send(transaction(root, 0, SEGMENTS, 'GET /large', clients))
  for (const { spanId, from, to } of calls) {
    const server = newSpanId()
    const queries = Array.from({ length: SPANS_EACH - 1 }, (_, at) => {
      const startsAt = from + 0.01 + at * 0.00097
      return spanOf(newSpanId(), server, startsAt, startsAt + 0.0009, 'db.query', `SELECT ${at}`)
    })
    await send(transaction(server, from, to, `part ${from}`, queries, { parent_span_id: spanId }))
  }
  return traceId
}

/** Opens the trace, and expects that a worker of its own file finds its groups and its critical path. */
export async function expectAnalysedInWorker(page: Page, traceId: string): Promise<void> {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`/traces/${traceId}`)
  const rows = page.getByRole('treegrid').getByRole('row')
  await expect(rows.filter({ hasText: 'GET /part/?' })).toContainText('20 ×')
  await rows.filter({ hasText: 'GET /part/?' }).click()
  const queries = rows.filter({ hasText: 'SELECT ?' }).first()
  await expect(queries).toContainText('999 ×')
  await expect(queries).toContainText('N+1')
  await expect(page.getByRole('button', { name: 'Only the path' })).toContainText(/\d{2}/)
  await expect(page.getByText('Longest on the critical path')).toBeVisible()
  // After a failure the page ends the worker.
  expect(page.workers().map((worker) => new URL(worker.url()).protocol)).toEqual(['http:'])
  expect(errors).toEqual([])
}
