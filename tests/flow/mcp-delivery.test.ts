import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { postEnvelope, startCollector } from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { connect } from './mcp-client'

/** An app whose page has an SDK with this configuration, and no tunnel. */
async function appWith(init: string): Promise<{ readonly url: string; readonly requests: () => number }> {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    response.statusCode = request.method === 'GET' ? 200 : 404
    response.end(`<script>Sentry.init(${init})</script>`)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests }
}

describe('waystation mcp', () => {
  it('says why no telemetry arrives from a misconfigured app, which it requests only when it is named', async () => {
    const collector = await startCollector()
    const { call } = await connect(collector.url)
    const app = await appWith('{ dsn: "https://0123456789abcdef@o1.ingest.sentry.io/7" }')
    const unnamed = await call('explain')
    expect(unnamed.text).toContain('`No envelope has arrived yet.`')
    expect(app.requests()).toBe(0)
    const { text, isError } = await call('explain', { app: app.url })
    expect(isError).toBe(false)
    expect(text).toMatch(
      /- Page: `The SDK has https:\/\/012345….*\/7 and no tunnel, so it does not send to the collector\.` · fix: `Set its option tunnel: '\/tunnel'/,
    )
    expect(app.requests()).toBeGreaterThan(0)
  })

  it('marks, waits and compares, and limits a wait to 50 s', async () => {
    const collector = await startCollector()
    const { call } = await connect(collector.url)
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'old' }).body)
    expect((await call('mark', { name: 'fix' })).text).toContain('- `compare {"from":"fix"}`')
    const waiting = call('wait', { pattern: 'pageload /new > http.client', since: 'fix', timeout: 20 })
    await postEnvelope(collector, transactionEnvelope(collector.dsn, { name: '/new' }).body)
    expect((await waiting).text).toMatch(/^# Found\n/)
    const { text } = await call('compare', { from: 'fix' })
    expect(text).toContain('- gone: `browser Error: old` (1)')
    expect(text).toContain('- came: `browser pageload /new`')
    expect(await call('wait', { kind: 'error', timeout: 51 })).toMatchObject({
      isError: true,
      text: 'timeout must be from 0 to 50 seconds here, got 51; call wait again to wait longer',
    })
    expect(await call('check', { since: 'fx' })).toMatchObject({ isError: true, text: expect.stringContaining('fix') })
  })
})
