import { describe, expect, it } from 'vitest'
import { MAX_UNANSWERED } from '../../../collector/stand-in/perform'
import { ENVELOPE, manualTimers, openPost, post, standIn } from './posting'

describe('the stand-in', () => {
  it('answers 200 with the event id where no rule matches', async () => {
    const to = await standIn()
    const id = 'ab'.repeat(16)
    expect(await (await post(to, '/api/1/envelope/', `{"event_id":"${id}"}\n`)).json()).toEqual({ id })
    expect(await (await post(to)).json()).toEqual({})
  })

  it('keeps what it received, with the categories of its items', async () => {
    const to = await standIn({ now: () => 5 })
    to.play({ answers: [{ status: 503, times: 1 }] })
    for (const path of ['/api/1/envelope/', '/api/1/store/', '/api/1/security/?sentry_key=k'])
      await post(to, path, path.includes('envelope') ? ENVELOPE : '{}')
    await post(to, '/api/1/envelope/', 'no envelope')
    expect(to.received().map(({ n, at, path, categories, status }) => ({ n, at, path, categories, status }))).toEqual([
      { n: 1, at: 5, path: '/api/1/envelope/', categories: ['error', 'attachment'], status: 503 },
      { n: 2, at: 5, path: '/api/1/store/', categories: ['error'], status: 200 },
      { n: 3, at: 5, path: '/api/1/security/?sentry_key=k', categories: ['security'], status: 200 },
      { n: 4, at: 5, path: '/api/1/envelope/', categories: [], status: 200 },
    ])
    expect(Buffer.from(to.received()[0]?.body ?? []).toString()).toBe(ENVELOPE)
  })

  it.each([
    ['/api/1/integration/otlp/v1/traces/', 'span'],
    ['/v1/traces', 'span'],
    ['/base/v1/logs', 'log_item'],
    ['/v1/metrics?x=1', 'trace_metric'],
  ])('accepts OTLP at %s as category %s, and answers {}', async (path, category) => {
    const to = await standIn()
    const response = await post(to, path, '{"event_id":"abababababababababababababababab"}')
    expect([response.status, await response.json()]).toEqual([200, {}])
    expect(to.state().received[0]?.categories).toEqual([category])
    to.play({ answers: [{ categories: [category], status: 429 }] })
    expect((await post(to, path, '')).status).toBe(429)
  })

  it('lists the newest posts first, at most 200', async () => {
    const to = await standIn()
    for (let sent = 0; sent < 201; sent += 1) await post(to)
    const { received } = to.state()
    expect([received.length, received[0]?.n, received.at(-1)?.n]).toEqual([200, 201, 2])
  })

  it('answers with any status, headers and body', async () => {
    const to = await standIn()
    to.play({ answers: [{ status: 429, headers: { 'Retry-After': '7', 'X-Sentry-Rate-Limits': '' }, body: 'no' }] })
    const response = await post(to)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await response.text()).toBe('no')
  })

  it('compresses a body with gzip and sets Content-Encoding', async () => {
    const to = await standIn()
    to.play({ answers: [{ status: 400, body: 'why not', gzip: true }] })
    const response = await post(to)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await response.text()).toBe('why not')
  })

  it('answers after the delay of the rule', async () => {
    const timers = manualTimers()
    const to = await standIn({ later: timers.later })
    to.play({ answers: [{ status: 202, delayMs: 3000 }] })
    const open = openPost(to)
    await expect.poll(timers.waits).toEqual([3000])
    expect(open.status()).toBeNull()
    timers.run()
    await expect.poll(open.status).toBe(202)
  })

  it('leaves a post unanswered where a rule hangs', async () => {
    const to = await standIn()
    to.play({ answers: [{ does: 'hang', times: 1 }] })
    const open = openPost(to)
    await expect.poll(() => to.received().map(({ status }) => status)).toEqual([null])
    expect((await post(to)).status).toBe(200)
    expect([open.status(), open.failure()]).toEqual([null, null])
  })

  it('resets a connection without an answer', async () => {
    const to = await standIn()
    to.play({ answers: [{ does: 'reset' }] })
    const open = openPost(to)
    await expect.poll(open.failure).toBe('ECONNRESET')
    expect(open.status()).toBeNull()
  })

  it('reports a new script, a rule that is used up, and a rule whose time is over', async () => {
    const timers = manualTimers()
    const clock = { monotonic: 0 }
    let changes = 0
    const to = await standIn({
      later: timers.later,
      monotonic: () => clock.monotonic,
      onChange: () => {
        changes += 1
      },
    })
    to.play({
      answers: [
        { times: 2, status: 500 },
        { forMs: 4000, status: 503 },
      ],
    })
    await post(to)
    expect(changes).toBe(1)
    await post(to)
    expect(changes).toBe(2)
    expect(timers.waits()).toEqual([4001])
    clock.monotonic = 4001
    timers.run()
    expect([changes, to.answers()]).toEqual([3, []])
  })

  it.each([
    ['an invalid status', { status: 99 }],
    ['a header of two lines', { headers: { 'X-A': 'a\r\nX-B: b' } }],
    ['a header that frames the body', { headers: { 'Content-Length': '1' } }],
    ['an unknown behaviour', { does: 'explode' }],
    ['an unknown field', { statsu: 429 }],
  ])('rejects %s', async (_name, answer) => {
    const to = await standIn()
    expect(() => to.play({ answers: [answer as { status: number }] })).toThrow()
  })
})

describe('unanswered posts', () => {
  it(`are limited to ${MAX_UNANSWERED}; the connection of the next one is reset`, async () => {
    const to = await standIn()
    to.play({ answers: [{ does: 'hang' }] })
    const open = Array.from({ length: MAX_UNANSWERED + 1 }, () => openPost(to))
    await expect.poll(() => to.received().length).toBe(MAX_UNANSWERED + 1)
    await expect.poll(() => open.filter((one) => one.failure() !== null).length).toBe(1)
  })

  it('do not include posts whose delay is over', async () => {
    const to = await standIn()
    to.play({ answers: [{ status: 202, delayMs: 1 }] })
    const statuses = new Set<number>()
    for (let sent = 0; sent < MAX_UNANSWERED * 2; sent += 50) {
      const answered = await Promise.all(Array.from({ length: 50 }, () => post(to)))
      for (const { status } of answered) statuses.add(status)
    }
    expect([...statuses]).toEqual([202])
  })

  it('are all reset at a stop, and so is each later one', async () => {
    const to = await standIn()
    to.play({ answers: [{ does: 'hang' }] })
    const open = openPost(to)
    await expect.poll(() => to.received().length).toBe(1)
    to.resetUnanswered()
    await expect.poll(open.failure).toBe('ECONNRESET')
    await expect(post(to)).rejects.toThrow()
  })
})
