import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localTunnel, nodeHandler } from '../../lib/tunnel/local-tunnel'
import type { Tunnel } from '../../lib/tunnel/tunnel'
import { collectorClient } from '../../lib/wire/collector-client'
import type { Losses } from '../../lib/wire/losses'
import { startCollector as startRecording, status } from '../unit/tunnel/recording-collector'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'

let collector: CollectorProcess
const closing: (() => unknown)[] = []
beforeEach(async () => {
  collector = await startCollector()
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(endCollectors)

const envelope = (...items: readonly string[]): string => [`{"dsn":"${collector.dsn}"}`, ...items].join('\n')
const ERROR = '{"type":"event"}\n{"message":"arrived"}'
const reportOf = (quantity: number): string =>
  `{"type":"client_report"}\n{"discarded_events":[{"reason":"network_error","category":"error","quantity":${quantity}}]}`

/** Posts a body, and closes the connection as soon as its last byte is sent. */
const postAndLeave = (url: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    const head = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nx-waystation-page: p1\r\nx-waystation-stamp: s1\r\n`
    socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, () => {
      socket.destroy()
      resolve()
    })
  })

const postAndRead = async (url: string, body: string, page = 'p1'): Promise<void> => {
  const headers = { 'x-waystation-page': page, 'x-waystation-stamp': 's1' }
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
}

const losses = (): Promise<Losses> => collectorClient(collector.url, fetch).losses({ stamp: 's1' })
const errorRow = async () => {
  const row = (await losses()).categories.find(({ category }) => category === 'error')
  return row && { made: row.made, received: row.received, lost: row.lost, unseen: row.unseen }
}

async function mount(tunnel: Tunnel): Promise<string> {
  const server: Server = createServer(nodeHandler(tunnel))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(
    () => tunnel.close(),
    () => server.close(),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tunnel`
}

describe('an item whose sender leaves before the answer', () => {
  const urls: readonly [string, () => Promise<string>][] = [
    ['directly', async () => `${collector.url}/api/1/envelope/?sentry_key=local`],
    ['through the tunnel', () => mount(localTunnel({ dsn: collector.dsn }))],
  ]

  it.each(urls)('is not lost when its page reports a network error: %s', async (_name, urlOf) => {
    const url = await urlOf()
    await postAndLeave(url, envelope(ERROR))
    await expect.poll(async () => (await errorRow())?.received).toBe(1)
    await postAndRead(url, envelope(reportOf(3)))
    await expect.poll(errorRow).toEqual({ made: 3, received: 1, lost: 2, unseen: 1 })
    const { losses: lost, sentence } = await losses()
    expect(lost).toEqual([{ by: 'sdk', reason: 'network_error', category: 'error', quantity: 2 }])
    expect(sentence).toBe('error: made 3, kept 1, lost 2 (2 network_error), arrived, answer unseen 1')
  })

  it.each(urls)('does not excuse the network error of another page: %s', async (_name, urlOf) => {
    const url = await urlOf()
    await postAndLeave(url, envelope(ERROR))
    await expect.poll(async () => (await errorRow())?.received).toBe(1)
    await postAndRead(url, envelope(reportOf(1)), 'p2')
    await postAndRead(url, envelope(ERROR), 'p2')
    expect(await errorRow()).toEqual({ made: 3, received: 2, lost: 1, unseen: 0 })
  })

  it('is not lost when the tunnel could deliver it only later', async () => {
    const { pid, url: address } = collector
    expect(pid).toBeGreaterThan(0)
    const dead = await startRecording()
    dead.play(status(500))
    const folder = `${collector.folder}/boat`
    const tunnel = localTunnel({
      dsn: collector.dsn.replace(new URL(address).port, String(dead.port)),
      lifeboatFolder: folder,
    })
    await postAndLeave(await mount(tunnel), envelope(ERROR))
    await expect.poll(() => dead.received.length).toBe(1)
    await expect.poll(async () => (await tunnel.drain()).left).toBe(1)
    await tunnel.close()
    await dead.close()
    const later = localTunnel({ dsn: collector.dsn, lifeboatFolder: folder })
    closing.push(() => later.close())
    expect(await later.drain()).toMatchObject({ delivered: 1 })
    await postAndRead(`${address}/api/1/envelope/?sentry_key=local`, envelope(reportOf(1)))
    expect(await errorRow()).toEqual({ made: 1, received: 1, lost: 0, unseen: 1 })
  })
})

describe('POST /tunnel/unseen', () => {
  const report = (receipt: string) =>
    fetch(`${collector.url}/tunnel/unseen`, { method: 'POST', headers: { 'x-waystation-receipt': receipt } })

  it('accepts the receipt of a record that is not stored any more', async () => {
    expect((await report('01234567-89ab-7def-8123-456789abcdef')).status).toBe(204)
  })

  it('refuses a text that is not a receipt', async () => {
    const answer = await report('p1')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ detail: 'the header x-waystation-receipt must be a UUID, got "p1"' })
  })
})
