import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { decodeSubmission, readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { type CollectorProcess, endCollectors, startCollector, temporaryFolder } from './collector-process'
import { errorEnvelope } from './envelopes'
import { clientOf } from './otlp-posts'

/** A server with the set-up of `docs/own-apps.md`. Arguments: the tunnel as one file, and the framework. */
const SOURCE = `
  import { createServer } from 'node:http'
  import * as Sentry from '@sentry/node'
  Sentry.init({
    dsn: process.env.WAYSTATION_DSN,
    tracesSampleRate: 1,
    integrations: [
      Sentry.httpIntegration({ ignoreIncomingRequests: (path) => path.startsWith('/tunnel') }),
      Sentry.nativeNodeFetchIntegration({ ignoreOutgoingRequests: (url) => new URL(url).pathname.startsWith('/tunnel') }),
    ],
  })
  const [file, framework] = process.argv.slice(1)
  const { localTunnel, nodeTunnel } = await import(file)
  const started = {
    http: async () => {
      const tunnel = nodeTunnel()
      const server = createServer((request, response) =>
        request.url === '/tunnel' ? tunnel(request, response) : response.end('{}'))
      return server.listen(0, '127.0.0.1')
    },
    express: async () => {
      const { default: express } = await import('express')
      const app = express()
      app.post('/tunnel', nodeTunnel())
      app.use(express.json())
      app.get('/api/cart', (_request, response) => response.json({}))
      return app.listen(0, '127.0.0.1')
    },
    hono: async () => {
      const { Hono } = await import('hono')
      const { serve } = await import('@hono/node-server')
      const app = new Hono()
      const tunnel = localTunnel()
      app.post('/tunnel', (c) => tunnel.handle(c.req.raw))
      app.get('/api/cart', (c) => c.json({}))
      return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
    },
  }
  const server = await started[framework]()
  server.once('listening', () => process.send(server.address().port))
  process.on('message', async () => process.send(await Sentry.flush(5000)))`

let tunnelFile: string
let collector: CollectorProcess
const running: ChildProcess[] = []
beforeAll(async () => {
  collector = await startCollector()
  tunnelFile = join(temporaryFolder(), 'tunnel.mjs')
  writeFileSync(tunnelFile, await (await fetch(`${collector.url}/tunnel.mjs`)).text())
})
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})
afterAll(endCollectors)

const answerOf = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error('the program ended')))
  })

it.each(['http', 'express', 'hono'])(
  '%s: the tunnel forwards envelopes, and the server traces none of it',
  async (framework) => {
    const { journal: after } = await clientOf(collector).recorded({ limit: 0 })
    const child = spawn(process.execPath, ['--input-type=module', '-e', SOURCE, tunnelFile, framework], {
      env: { ...process.env, WAYSTATION_DSN: collector.dsn },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    running.push(child)
    const url = `http://127.0.0.1:${await answerOf(child)}`
    const { body } = errorEnvelope(collector.dsn)
    const headers = { cookie: 'waystation-stamp=untraced' }
    expect((await fetch(`${url}/tunnel`, { method: 'POST', body, headers })).status).toBe(200)
    expect((await fetch(`${url}/api/cart`)).status).toBe(200)
    const flushed = answerOf(child)
    child.send('flush')
    expect(await flushed).toBe(true)

    const { recorded } = await clientOf(collector).recorded({ after, limit: 100 })
    const submissions = recorded.map(decodeSubmission)
    const forwarded = submissions.filter(({ stamp }) => stamp === 'untraced')
    expect(forwarded.map((one) => Buffer.from(one.body).toString())).toEqual([body])
    const { spans, signals } = readEvidence(submissions)
    expect(spans.filter(({ isSegment }) => isSegment).map(({ op }) => op)).toEqual(['http.server'])
    expect(spans.filter(({ op }) => op === 'http.client')).toEqual([])
    expect(signals.filter(({ kind }) => kind === 'client_report')).toEqual([])
  },
)
