import { expect, it } from 'vitest'
import { resolveOptions, type WaystationOptions } from '../../../../lib/kit/playwright/options'
import { createSession } from '../../../../lib/kit/playwright/session'
import { errorEnvelope } from '../../../flow/envelopes'

const URL = 'http://127.0.0.1:8969'
const envelope = errorEnvelope('http://local@127.0.0.1:8969/1', { message: 'the cart is empty' }).body
const unreadable = envelope.replace('"exception"', '"exception')

/** The session of a test without pages, with this recorded envelope. */
function sessionOf(body: string, waystation: WaystationOptions = {}, errors: { message?: string }[] = []) {
  const facts = { project: '1', publicKey: 'local', userAgent: null, origin: null, endpoint: 'tunnel', page: null }
  const one = { ...facts, seq: 1, journal: 1, receivedAt: 0, stamp: 'mine', body: Buffer.from(body).toString('base64') }
  const pageOf = (journal: number) => ({ recorded: [] as unknown[], damaged: [], next: journal, journal, oldest: 1 })
  const answers: typeof fetch = (input, init) => {
    const { pathname, searchParams } = new globalThis.URL(String(input))
    // Attachments are not tested here.
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
    info: {
      ...{ status: 'passed', expectedStatus: 'passed', errors, annotations, attach: async () => undefined },
      ...{
        title: 'pays',
        titlePath: ['cart.spec.ts', 'pays'],
        testId: 'pays',
        retry: 0,
        file: '/shop/e2e/cart.spec.ts',
        line: 7,
        column: 5,
      },
    },
    fetch: answers,
    now: Date.now,
    env: {},
  })
  return { session, annotations }
}

/** @returns the failure message and the annotations */
async function judged(body: string, waystation: WaystationOptions = {}, errors: { message?: string }[] = []) {
  const { session, annotations } = sessionOf(body, waystation, errors)
  await session.open()
  const failed = await session.finish().then(
    () => null,
    (error: unknown) => String(error),
  )
  return { failed, message: annotations.map(({ description }) => description) }
}

it('fails, warns or ignores an unexpected error', async () => {
  expect((await judged(envelope)).failed).toMatch(/^Error: 1 unexpected error\n\nError: the cart is empty/)
  expect(await judged(envelope, { unexpectedErrors: 'warn' })).toEqual({
    failed: null,
    message: [expect.stringMatching(/^1 unexpected error/)],
  })
  expect(await judged(envelope, { unexpectedErrors: 'ignore' })).toEqual({ failed: null, message: [] })
})

it('fails with the line of the test, the line of the code, and a call that allows the error', async () => {
  const frames = [{ filename: 'app:///cart.js', function: 'pay', lineno: 3, colno: 9, in_app: true }]
  const value = 'the \'cart\' is "empty"'
  const thrown = errorEnvelope('http://local@127.0.0.1:8969/1', { message: value }).body.replace(
    '"mechanism"',
    `"stacktrace":${JSON.stringify({ frames })},"mechanism"`,
  )
  const { session } = sessionOf(thrown)
  await session.open()
  const failure = await session.finish().catch((error: Error) => error)
  expect(failure?.message.split('\n\n').slice(2)).toEqual([
    `thrown at cart.js:3:9 (pay)\nif the test causes it on purpose: telemetry.allow('Error: the \\'cart\\' is "empty"')`,
  ])
  expect(failure?.stack).toBe(`Error: ${failure?.message}\n    at pays (/shop/e2e/cart.spec.ts:7:5)`)
})

it('names the part of a title before a secret', async () => {
  const body = errorEnvelope('http://local@127.0.0.1:8969/1', { message: 'login failed: password=hunter2secret' }).body
  expect((await judged(body)).failed).toContain("telemetry.allow('Error: login failed: password=')")
})

it('reports an error once if an expectation failed with it, and others too', async () => {
  const message = (await judged(envelope)).failed?.replace(/^Error: /, '')
  const failing = (message: string | undefined) => judged(envelope, {}, [{ message: `Error: \u001b[31m${message}` }])
  expect((await failing(message)).failed).toBeNull()
  expect((await failing('2 unexpected errors')).failed).toContain('the cart is empty')
})

it('fails for an event that cannot be parsed', async () => {
  const words = /^Error: unexpected errors cannot be ruled out: The event in envelope 1 could not be parsed: /
  expect((await judged(unreadable)).failed).toMatch(words)
})

it('starts a new trace with each access to headers', async () => {
  const { session } = sessionOf(envelope, { unexpectedErrors: 'ignore' })
  const telemetry = await session.open()
  const traces = [telemetry.headers, telemetry.headers].map((headers) => headers['sentry-trace'])
  expect(new Set(traces).size).toBe(2)
  await session.finish()
})
