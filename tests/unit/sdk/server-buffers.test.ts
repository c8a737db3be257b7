import * as Sentry from '@sentry/nextjs'
import { afterAll, afterEach, beforeAll, expect, it, type MockInstance, vi } from 'vitest'
import { initServer } from '../../../lib/sdk/server'

const posted: string[] = []
const ANSWER = { statusCode: 200, headers: { 'x-sentry-rate-limits': null, 'retry-after': null } }
let isAnswering = false
const waiting: (() => void)[] = []
let dropped: MockInstance<Sentry.NodeClient['recordDroppedEvent']>
/** Reason and category of each. */
const discarded = () => dropped.mock.calls.map(([reason, category]) => `${reason} ${category}`)

/** Its answer waits for `answer()`. */
function post(body: string | Uint8Array): Promise<typeof ANSWER> {
  posted.push(String(body))
  return isAnswering ? Promise.resolve(ANSWER) : new Promise((resolve) => waiting.push(() => resolve(ANSWER)))
}

function answer(): void {
  for (const one of waiting.splice(0)) one()
}

beforeAll(() => {
  // The transport gets the method when the client is created.
  dropped = vi.spyOn(Sentry.NodeClient.prototype, 'recordDroppedEvent')
  initServer({ dsn: 'http://local@127.0.0.1:1/1', lifecycle: 'static', environment: 'test', release: 'test@1' }, post)
})
afterEach(async () => {
  isAnswering = true
  answer()
  await Sentry.flush()
  isAnswering = false
  posted.length = 0
  dropped.mockClear()
})
afterAll(async () => {
  dropped.mockRestore()
  await Sentry.close()
})

it('the server SDK counts no loss when Next ends 100 spans of its start at once', async () => {
  for (let n = 0; n < 100; n += 1) Sentry.startInactiveSpan({ name: 'load route module', forceTransaction: true }).end()
  Sentry.startInactiveSpan({ name: 'GET /lab', forceTransaction: true }).end()
  await vi.waitFor(() => expect(posted).toHaveLength(1))
  expect(posted[0]).toContain('GET /lab')
  expect(discarded()).toEqual([])
})

it('the server SDK opens 30 sends, and drops the 31st as queue_overflow', async () => {
  for (let n = 0; n < 31; n += 1) Sentry.captureException(new Error(`error ${n}`))
  await vi.waitFor(() => expect([posted.length, discarded()]).toEqual([30, ['queue_overflow error']]))
  answer()
  Sentry.captureException(new Error('after the answers'))
  await vi.waitFor(() => expect(posted).toHaveLength(31))
})
