import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { openRecording, type Recording } from '../../lib/kit/recording'
import { formatDsn } from '../../lib/protocol/dsn'
import { STAMP_COOKIE } from '../../lib/protocol/request'
import { collectorClient } from '../../lib/wire/collector-client'
import { startWaystation } from './running'
import { expect, leave, press, test } from './station'

test.describe.configure({ timeout: 120_000 })

/** The number of envelopes in the lifeboat. Its folder is created with the first one. */
function keptIn(dataFolder: string): number {
  const lifeboat = join(dataFolder, 'lifeboat')
  return existsSync(lifeboat) ? readdirSync(lifeboat).filter((name) => name.endsWith('.envelope')).length : 0
}

/** The number of files in the lifeboat that hold spans of OpenTelemetry. */
function spanFilesIn(dataFolder: string): number {
  const lifeboat = join(dataFolder, 'lifeboat')
  if (!existsSync(lifeboat)) return 0
  const names = readdirSync(lifeboat).filter((name) => name.endsWith('.envelope'))
  return names.filter((name) => readFileSync(join(lifeboat, name), 'utf8').includes('"path":"/api/')).length
}

/** Records the telemetry of a browser context, with waits that are longer than the outage. */
async function record(
  context: BrowserContext,
  { appUrl, collectorUrl }: { readonly appUrl: string; readonly collectorUrl: string },
): Promise<Recording> {
  const stamp = `outage-${crypto.randomUUID()}`
  await context.addCookies([{ name: STAMP_COOKIE, value: stamp, url: appUrl }])
  const client = collectorClient(collectorUrl, fetch)
  return openRecording({ client, stamp, waitMs: 90_000, retryMs: 90_000 })
}

/** The number of times that upstream received an event. */
const arrivals = (upstream: StandIn, eventId: string): number =>
  upstream.received().filter(({ body }) => {
    const text = Buffer.from(body).toString('utf8')
    return text.slice(0, text.indexOf('\n')).includes(eventId) && text.includes('{"type":"event"')
  }).length

test('errors of browser and server survive a crash of the collector, and each arrives once', async ({
  page,
  context,
  lifecycle,
}) => {
  const upstream = await startStandIn()
  const running = await startWaystation({
    env: { WAYSTATION_UPSTREAM: formatDsn(upstream.dsn), WAYSTATION_LIFECYCLE: lifecycle },
  })
  const recording = await record(context, running)
  try {
    await page.goto(`${running.appUrl}/lab`)
    await running.killCollector()
    const { eventId } = await press(page, 'handled-error')
    const { traceId } = await press(page, 'route-handler-error')
    const kept = () => keptIn(running.dataFolder)
    await expect.poll(kept).toBeGreaterThan(1)
    await running.startCollector()
    await expect.poll(kept, { timeout: 90_000 }).toBe(0)
    const errors = [
      await recording.waitFor.error({ eventId }),
      await recording.waitFor.error({ traceId, service: 'server' }),
    ]
    await leave(page)
    await expect(recording).toHaveNoLoss({ allow: ['network_error'] })
    expect(recording.evidence().events).toHaveLength(errors.length)
    expect(errors.map((error) => arrivals(upstream, error.eventId))).toEqual([1, 1])
  } finally {
    await recording.close()
    await running.stop()
    await upstream.close()
  }
})

test('spans of OpenTelemetry survive a crash of the collector, and arrive in the trace of their page', async ({
  page,
  context,
  lifecycle,
}) => {
  const running = await startWaystation({ env: { WAYSTATION_LIFECYCLE: lifecycle } })
  const recording = await record(context, running)
  try {
    await page.goto(`${running.appUrl}/lab`)
    await running.killCollector()
    const { traceId } = await press(page, 'mixed-trace')
    await expect.poll(() => spanFilesIn(running.dataFolder)).toBe(1)
    await running.startCollector()
    const checkout = await recording.waitFor.span({ traceId, name: 'lab otel checkout' })
    const root = await recording.waitFor.transaction({ traceId, name: 'lab: mixed trace' })
    expect(checkout.parentSpanId).toBe(root.segmentId)
    await expect.poll(() => keptIn(running.dataFolder), { timeout: 90_000 }).toBe(0)
    expect(recording.evidence().spans.filter(({ otel }) => otel !== undefined)).toHaveLength(3)
  } finally {
    await recording.close()
    await running.stop()
  }
})

test('an envelope that the collector commits after the tunnel gave up is stored once', async ({
  page,
  context,
  lifecycle,
}) => {
  const upstream = await startStandIn()
  const target = await startWaystation({ app: false, env: { WAYSTATION_UPSTREAM: formatDsn(upstream.dsn) } })
  // Forwards the first error at once but never its answer, so the tunnel times out after the collector has committed.
  let swallowed = 0
  const slow = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
      ),
    ) as Record<string, string>
    const answer = await fetch(`${target.collectorUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(request.method === 'POST' && { body: Buffer.concat(chunks) }),
    })
    const isError = Buffer.concat(chunks).includes('{"type":"event"')
    if (isError && swallowed === 0) {
      swallowed += 1
      return
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  const collectorUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
  const running = await startWaystation({
    collector: false,
    env: {
      WAYSTATION_UPSTREAM: formatDsn(upstream.dsn),
      WAYSTATION_LIFECYCLE: lifecycle,
      WAYSTATION_COLLECTOR_URL: collectorUrl,
    },
  })
  const recording = await record(context, { appUrl: running.appUrl, collectorUrl: target.collectorUrl })
  try {
    await page.goto(`${running.appUrl}/lab`)
    const { eventId } = await press(page, 'handled-error')
    await recording.waitFor.error({ eventId })
    const kept = () => keptIn(running.dataFolder)
    // The envelope stays there for about a second.
    await expect.poll(kept, { timeout: 30_000, intervals: [100] }).toBeGreaterThan(0)
    await expect.poll(kept, { timeout: 90_000 }).toBe(0)
    expect(swallowed).toBe(1)
    await expect(recording).toHaveNoLoss()
    expect(recording.evidence().events.map((event) => event.eventId)).toEqual([eventId])
    expect(arrivals(upstream, eventId)).toBe(1)
  } finally {
    await recording.close()
    await running.stop()
    await target.stop()
    slow.closeAllConnections()
    slow.close()
    await upstream.close()
  }
})
