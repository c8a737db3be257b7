import { expect, it } from 'vitest'
import { resolveOptions, type WaystationOptions } from '../../../../lib/kit/playwright/options'
import { createSession } from '../../../../lib/kit/playwright/session'
import { errorEnvelope } from '../../../flow/envelopes'

const URL = 'http://127.0.0.1:8969'
const envelope = errorEnvelope('http://local@127.0.0.1:8969/1', { message: 'the cart is empty' }).body
const unreadable = envelope.replace('"exception"', '"exception')

/** Of a test without pages, of which this was recorded. */
function sessionOf(body: string, waystation: WaystationOptions = {}, errors: { message?: string }[] = []) {
  const facts = { project: '1', publicKey: 'local', userAgent: null, origin: null, endpoint: 'tunnel', page: null }
  const one = { ...facts, seq: 1, journal: 1, receivedAt: 0, stamp: 'mine', body: Buffer.from(body).toString('base64') }
  const pageOf = (journal: number) => ({ recorded: [] as unknown[], damaged: [], next: journal, journal, oldest: 1 })
  const answers: typeof fetch = (input, init) => {
    const { pathname, searchParams } = new globalThis.URL(String(input))
    // What it attaches is nobody's matter here.
    if (pathname !== '/query/recorded') return Promise.resolve(new Response('not here', { status: 404 }))
    if (searchParams.get('limit') === '0') return Promise.resolve(Response.json(pageOf(0)))
    if (searchParams.get('after') === '0') return Promise.resolve(Response.json({ ...pageOf(1), recorded: [one] }))
    if (searchParams.get('wait') === '0') return Promise.resolve(Response.json(pageOf(1)))
    return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))))
  }
  const annotations: { type: string; description?: string }[] = []
  const session = createSession({
    stamp: 'mine',
    options: () => resolveOptions({ collectorUrl: URL, settleMs: 1, ...waystation }, undefined, {}),
    info: { status: 'passed', expectedStatus: 'passed', errors, annotations, attach: async () => undefined },
    fetch: answers,
    now: Date.now,
  })
  return { session, annotations }
}

/** @returns what fails it, and what it is told */
async function judged(body: string, waystation: WaystationOptions = {}, errors: { message?: string }[] = []) {
  const { session, annotations } = sessionOf(body, waystation, errors)
  await session.open()
  const failed = await session.finish().then(
    () => null,
    (error: unknown) => String(error),
  )
  return { failed, told: annotations.map(({ description }) => description) }
}

it('an error that nobody allowed fails the test, or is told, or is nothing', async () => {
  expect((await judged(envelope)).failed).toMatch(/^Error: 1 unexpected error\n\nError: the cart is empty/)
  expect(await judged(envelope, { unexpectedErrors: 'warn' })).toEqual({
    failed: null,
    told: [expect.stringMatching(/^1 unexpected error/)],
  })
  expect(await judged(envelope, { unexpectedErrors: 'ignore' })).toEqual({ failed: null, told: [] })
})

it('an error that an expectation has failed with already is not told again, and any other is', async () => {
  const told = (await judged(envelope)).failed?.replace(/^Error: /, '')
  const failing = (message: string | undefined) => judged(envelope, {}, [{ message: `Error: \u001b[31m${message}` }])
  expect((await failing(told)).failed).toBeNull()
  expect((await failing('2 unexpected errors')).failed).toContain('the cart is empty')
})

it('an event that cannot be read fails the test: it may be an error', async () => {
  const words = /^Error: unexpected errors cannot be ruled out: The event in envelope 1 could not be parsed: /
  expect((await judged(unreadable)).failed).toMatch(words)
})

it('each request that a test makes with its headers has a trace of its own', async () => {
  const { session } = sessionOf(envelope, { unexpectedErrors: 'ignore' })
  const telemetry = await session.open()
  const traces = [telemetry.headers, telemetry.headers].map((headers) => headers['sentry-trace'])
  expect(new Set(traces).size).toBe(2)
  await session.finish()
})
