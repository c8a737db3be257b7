import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { startWaystation } from './running'
import { cause, expect, leave, test } from './station'

test.describe.configure({ timeout: 120_000 })

/** Envelopes that wait in the lifeboat; its folder is made with the first. */
function keptIn(dataFolder: string): number {
  const lifeboat = join(dataFolder, 'lifeboat')
  return existsSync(lifeboat) ? readdirSync(lifeboat).filter((name) => name.endsWith('.envelope')).length : 0
}

test('errors of browser and server survive the collector’s death, and each arrives once', async ({
  page,
  lifecycle,
}) => {
  const upstream = await startStandIn()
  const running = await startWaystation({
    env: { WAYSTATION_UPSTREAM: formatDsn(upstream.dsn), WAYSTATION_LIFECYCLE: lifecycle },
  })
  try {
    await page.goto(`${running.appUrl}/lab`)
    await running.killCollector()
    await page.getByTestId('lab-handled-error').click()
    await expect(page.getByTestId('lab-handled-error-result')).toHaveAttribute('data-state', 'done')
    const eventId = await page.getByTestId('lab-handled-error-event').innerText()
    await page.getByTestId('lab-route-handler-error').click()
    await expect(page.getByTestId('lab-route-handler-error-result')).toHaveAttribute('data-state', 'done')
    const traceId = await page.getByTestId('lab-route-handler-error-trace').innerText()
    const kept = () => keptIn(running.dataFolder)
    await expect.poll(kept).toBeGreaterThan(1)
    await running.startCollector()
    await expect.poll(kept, { timeout: 90_000 }).toBe(0)
    const collector = collectorClient(running.collectorUrl, fetch)
    await expect.poll(async () => (await collector.trace(traceId))?.errors.length, { timeout: 30_000 }).toBe(1)
    await expect.poll(async () => (await collector.event(eventId))?.fate.name).toBe('accepted')
    await leave(page)
    const arrivals = upstream.received().map((post) => Buffer.from(post.body).toString('utf8'))
    const serverEvent = (await collector.trace(traceId))?.errors[0]?.eventId ?? 'none'
    for (const id of [eventId, serverEvent])
      expect(
        arrivals.filter((body) => body.split('\n')[0]?.includes(id) && body.includes('{"type":"event"')),
      ).toHaveLength(1)
  } finally {
    await running.stop()
    await upstream.close()
  }
})

test('an envelope that the collector commits after the tunnel gave up is stored once', async ({ page, lifecycle }) => {
  const upstream = await startStandIn()
  const behind = await startWaystation({ app: false, env: { WAYSTATION_UPSTREAM: formatDsn(upstream.dsn) } })
  // Hands the first envelope on at once, and its answer never: the tunnel times out on a collector that has committed.
  let swallowed = 0
  const slow = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
      ),
    ) as Record<string, string>
    const answer = await fetch(`${behind.collectorUrl}${request.url}`, {
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
  try {
    const { eventId } = await cause(page, running.appUrl, 'handled-error')
    const collector = collectorClient(behind.collectorUrl, fetch)
    await expect
      .poll(async () => (await collector.event(eventId ?? ''))?.fate.name, { timeout: 30_000 })
      .toBe('accepted')
    const kept = () => keptIn(running.dataFolder)
    await expect.poll(kept, { timeout: 30_000 }).toBe(1)
    await expect.poll(kept, { timeout: 90_000 }).toBe(0)
    expect(swallowed).toBe(1)
    const holding = (await collector.envelopes({ limit: 200 })).envelopes.filter((one) => one.eventId === eventId)
    expect(holding).toHaveLength(1)
    const arrivals = upstream.received().filter((post) =>
      Buffer.from(post.body)
        .toString('utf8')
        .split('\n')[0]
        ?.includes(eventId ?? 'none'),
    )
    expect(arrivals).toHaveLength(1)
  } finally {
    await running.stop()
    await behind.stop()
    slow.closeAllConnections()
    slow.close()
    await upstream.close()
  }
})
