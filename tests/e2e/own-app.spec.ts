import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { anyFreePort } from '../../collector/launch/ports'
import { transactionEnvelope } from '../flow/envelopes'
import { expect, type Station, test } from './station'

const root = fileURLToPath(new URL('../..', import.meta.url))
// It builds an app while other tests run, which takes minutes on a busy machine.
test.describe.configure({ timeout: 600_000 })

/** The DSN in the examples of the README. */
const README_DSN = 'http://local@127.0.0.1:8969/1'

/** Creates a folder inside the tree, where Next finds the packages. Git and the build ignore it. */
function scratch(): string {
  mkdirSync(join(root, '.build'), { recursive: true })
  return mkdtempSync(join(root, '.build', 'own-app-'))
}

function run(folder: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(root, 'node_modules/next/dist/bin/next'), ...args], {
    cwd: folder,
    // The app has its DSN in its code.
    env: { ...process.env, SENTRY_DSN: undefined, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const deliveryStatusOf = async ({ collector }: Station, seq: number) =>
  (await collector.envelope(seq))?.deliveryStatus.name

/** Runs in the page: exports a span as OpenTelemetry's exporter does. Returns the status of the answer. */
async function exportSpan(of: { traceId: string; parentSpanId: string; key: string }): Promise<number> {
  const nanos = `${Date.now()}000000`
  const span = { name: 'own app, OpenTelemetry', spanId: '0123456789abcdef', kind: 1, startTimeUnixNano: nanos }
  const { key, ...ids } = of
  const answer = await fetch('/tunnel/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sentry-auth': `sentry sentry_key=${key}` },
    body: JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, ...ids, endTimeUnixNano: nanos }] }] }],
    }),
  })
  return answer.status
}

test('an own Next app sends through the tunnel file that the collector serves, with the local DSN', async ({
  page,
  station,
  telemetry,
}) => {
  telemetry.allow(/own app, (?:browser|server)/)
  const folder = scratch()
  cpSync(join(root, 'tests/fixtures/own-next-app'), folder, { recursive: true })
  const tunnel = await fetch(`${station.running.collectorUrl}/tunnel.mjs`)
  writeFileSync(join(folder, 'waystation-tunnel.mjs'), await tunnel.text())
  const withDsn = [
    'app/tunnel/route.ts',
    'app/tunnel/v1/traces/route.ts',
    'instrumentation-client.ts',
    'instrumentation.ts',
  ]
  for (const path of withDsn) {
    const source = readFileSync(join(folder, path), 'utf8')
    expect(source).toContain(README_DSN)
    writeFileSync(join(folder, path), source.replaceAll(README_DSN, station.running.localDsn))
  }
  let server: ChildProcess | null = null
  try {
    const building = run(folder, ['build'])
    let output = ''
    building.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    const code = await new Promise((resolve) => building.once('exit', resolve))
    expect(code, output).toBe(0)
    const port = await anyFreePort(['127.0.0.1'])
    server = run(folder, ['start', '-H', '127.0.0.1', '-p', String(port)])
    const home = `http://localhost:${port}`
    await expect
      .poll(
        () =>
          fetch(home).then(
            (answer) => answer.status,
            () => 0,
          ),
        { timeout: 30_000 },
      )
      .toBe(200)
    await page.goto(home)
    await page.getByRole('button', { name: 'Fail in the browser' }).click()
    await page.getByRole('button', { name: 'Fail on the server' }).click()
    const errors = [
      await telemetry.waitFor.error({ title: /own app, browser/, service: 'browser', copy: false }),
      await telemetry.waitFor.error({ title: /own app, server/, service: 'server', copy: false }),
    ]
    for (const { seq } of errors) await expect.poll(() => deliveryStatusOf(station, seq)).toBe('accepted')
    const endpoint = telemetry.evidence().envelopes.find(({ seq }) => seq === errors[0]?.seq)
    expect(endpoint).toMatchObject({ endpoint: 'tunnel', origin: home })
    // SDK 11's own default is the streamed lifecycle: browser and server meet in one trace.
    const pageload = await telemetry.waitFor.transaction({ op: 'pageload', service: 'browser' })
    await expect(await telemetry.trace(pageload)).toHaveSpanTree('http.server >> pageload')
    expect(telemetry.evidence().events).toHaveLength(errors.length)

    const { traceId, segmentId } = pageload
    const key = new URL(station.running.localDsn).username
    expect(await page.evaluate(exportSpan, { traceId, parentSpanId: segmentId, key })).toBe(200)
    const span = await telemetry.waitFor.span({ traceId, name: 'own app, OpenTelemetry' })
    expect(span.parentSpanId).toBe(segmentId)
    // An app that follows the README passes the rules of any app.
    await expect(telemetry).toKeepTheContract()
  } finally {
    server?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a browser app on another port posts directly to the collector', async ({ page, station, program, telemetry }) => {
  telemetry.allow(/own browser app/)
  const { localDsn } = station.running
  const bundle = await build({
    stdin: {
      contents: `
        import * as Sentry from '@sentry/browser'
        Sentry.init({ dsn: ${JSON.stringify(localDsn)}, integrations: [Sentry.browserTracingIntegration()], tracesSampleRate: 1 })
        document.querySelector('button').onclick = () => { throw new Error('own browser app') }`,
      resolveDir: root,
    },
    bundle: true,
    write: false,
    format: 'iife',
    logLevel: 'silent',
  })
  const script = bundle.outputFiles[0]?.text ?? ''
  // The posts of the page have no stamp; they belong to the test by the trace of the server that rendered it.
  const { body, traceId, spanId } = transactionEnvelope(localDsn, { name: 'GET /', op: 'http.server' })
  await program.send(body)
  const html = `<!doctype html><meta name="sentry-trace" content="${traceId}-${spanId}-1"><button>Fail</button><script src="/app.js"></script>`
  const server = createServer((request, response) => {
    const isScript = request.url === '/app.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    await page.goto(origin)
    await page.getByRole('button').click()
    const error = await telemetry.waitFor.error({ title: /own browser app/, traceId, service: 'browser', copy: false })
    await expect.poll(() => deliveryStatusOf(station, error.seq)).toBe('accepted')
    const endpoint = telemetry.evidence().envelopes.find(({ seq }) => seq === error.seq)
    expect(endpoint).toMatchObject({ endpoint: 'envelope', origin, stamp: null })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('the address of the collector has the boards, too, without a lab', async ({ page, station }) => {
  await page.goto(`${station.running.collectorUrl}/`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Pages' }).getByText('Traces')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Lab', exact: true })).toHaveCount(0)
})
