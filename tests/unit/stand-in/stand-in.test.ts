import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ENVELOPE, heldBack, openPost, post, standIn } from './posting'

describe('the stand-in', () => {
  it('answers 200 with the event’s id where no rule takes a post', async () => {
    const to = await standIn()
    const id = 'ab'.repeat(16)
    expect(await (await post(to, '/api/1/envelope/', `{"event_id":"${id}"}\n`)).json()).toEqual({ id })
    expect(await (await post(to)).json()).toEqual({})
  })

  it('remembers what came, with the categories of its items', async () => {
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

  it('tells the last posts first, and no more than 200 of them', async () => {
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

  it('gzips a body and says so', async () => {
    const to = await standIn()
    to.play({ answers: [{ status: 400, body: 'why not', gzip: true }] })
    const response = await post(to)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await response.text()).toBe('why not')
  })

  it('waits before it answers', async () => {
    const timers = heldBack()
    const to = await standIn({ later: timers.later })
    to.play({ answers: [{ status: 202, delayMs: 3000 }] })
    const open = openPost(to)
    await expect.poll(timers.waits).toEqual([3000])
    expect(open.status()).toBeNull()
    timers.run()
    await expect.poll(open.status).toBe(202)
  })

  it('leaves a post without an answer when it hangs', async () => {
    const to = await standIn()
    to.play({ answers: [{ does: 'hang', times: 1 }] })
    const open = openPost(to)
    await expect.poll(() => to.received().map(({ status }) => status)).toEqual([null])
    expect((await post(to)).status).toBe(200)
    expect([open.status(), open.failure()]).toEqual([null, null])
  })

  it('drips a body a byte a second, to its end', async () => {
    const timers = heldBack()
    const to = await standIn({ later: timers.later })
    to.play({ answers: [{ does: 'drip', body: 'abc' }] })
    const open = openPost(to)
    for (const heard of ['', 'a', 'ab', 'abc']) {
      await expect.poll(open.heard).toBe(heard)
      if (heard !== 'abc') await expect.poll(timers.waits).toEqual([1000])
      timers.run()
    }
    expect(timers.waits()).toEqual([])
  })

  it('drips for ever without a body', async () => {
    const timers = heldBack()
    const to = await standIn({ later: timers.later })
    to.play({ answers: [{ does: 'drip' }] })
    const open = openPost(to)
    for (let bytes = 0; bytes < 20; bytes += 1) {
      await expect.poll(() => open.heard().length).toBe(bytes)
      await expect.poll(timers.waits).toEqual([1000])
      timers.run()
    }
  })

  it('cuts a connection without a word', async () => {
    const to = await standIn()
    to.play({ answers: [{ does: 'reset' }] })
    const open = openPost(to)
    await expect.poll(open.failure).toBe('ECONNRESET')
    expect(open.status()).toBeNull()
  })

  it('pours 64 MiB to whoever takes them, gzipped too', async () => {
    const to = await standIn()
    to.play({
      answers: [
        { does: 'oversized', times: 1 },
        { does: 'oversized', gzip: true },
      ],
    })
    let bytes = 0
    for await (const chunk of (await post(to)).body ?? []) bytes += chunk.length
    expect(bytes).toBe(64 * 1024 * 1024)
    const zipped = await new Promise<Buffer>((resolve, reject) => {
      const asked = request(`http://${to.dsn.host}/`, { method: 'POST', agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve(Buffer.concat(chunks)))
      })
      asked.on('error', reject)
      asked.end()
    })
    expect(zipped.length).toBeLessThan(1024 * 1024)
    expect(gunzipSync(zipped)).toHaveLength(64 * 1024 * 1024)
  })

  it('tells when a rule is used up, and when its time is over', async () => {
    const timers = heldBack()
    const clock = { monotonic: 0 }
    let ended = 0
    const to = await standIn({
      later: timers.later,
      monotonic: () => clock.monotonic,
      onRuleEnd: () => {
        ended += 1
      },
    })
    to.play({
      answers: [
        { times: 2, status: 500 },
        { forMs: 4000, status: 503 },
      ],
    })
    await post(to)
    expect(ended).toBe(0)
    await post(to)
    expect(ended).toBe(1)
    expect(timers.waits()).toEqual([4001])
    clock.monotonic = 4001
    timers.run()
    expect([ended, to.answers()]).toEqual([2, []])
  })

  it.each([
    ['a status that is none', { status: 99 }],
    ['a header of two lines', { headers: { 'X-A': 'a\r\nX-B: b' } }],
    ['a header that frames the body', { headers: { 'Content-Length': '1' } }],
    ['a behaviour that nobody knows', { does: 'explode' }],
    ['a field that nobody knows', { statsu: 429 }],
  ])('refuses %s', async (_name, answer) => {
    const to = await standIn()
    expect(() => to.play({ answers: [answer as { status: number }] })).toThrow()
  })
})
