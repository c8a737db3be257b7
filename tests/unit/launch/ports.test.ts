import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { anyFreePort, describeHolder, nextFreePort, portState } from '../../../collector/launch/ports'

const LOOPBACKS = ['127.0.0.1', '::1']
const open: { close: () => unknown }[] = []

afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

async function hold(host: string, server: Pick<Server, 'listen' | 'once' | 'close' | 'address'> = createServer()) {
  open.push(server)
  server.listen(0, host)
  await new Promise<void>((resolve) => server.once('listening', () => resolve()))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

const answering = (answer: Parameters<typeof createServer>[1]) => createServer(answer)

describe('a port', () => {
  test.each(['127.0.0.1', '::1', '0.0.0.0', '::'])('is taken when a program listens on %s', async (host) => {
    const port = await hold(host)
    expect(await portState(port, LOOPBACKS)).toBe('taken')
  })

  test('is free when no program listens', async () => {
    expect(await portState(await anyFreePort(LOOPBACKS), LOOPBACKS)).toBe('free')
  })

  test('of any number is below those of outgoing connections, and not one that is taken', async () => {
    const first = await anyFreePort(LOOPBACKS)
    expect(first).toBeGreaterThanOrEqual(20_000)
    expect(first).toBeLessThan(32_000)
    const holder = createServer()
    open.push(holder)
    holder.listen(first, '127.0.0.1')
    await once(holder, 'listening')
    const draws = [first, first, first + 1, first + 2, first + 3].map((port) => (port + 0.5 - 20_000) / 12_000)
    const random = (): number => draws.shift() ?? 0
    expect(await anyFreePort(LOOPBACKS, random)).toBeGreaterThan(first)
  })

  test('has a free port after it when it is taken', async () => {
    const port = await hold('127.0.0.1')
    expect(await nextFreePort(port, ['127.0.0.1'])).toBeGreaterThan(port)
  })

  test('is used by another Waystation when its health endpoint says so', async () => {
    const port = await hold(
      '127.0.0.1',
      answering((_, response) => response.end(JSON.stringify({ status: 'live', service: 'waystation' }))),
    )
    expect(await describeHolder(port)).toBe('another Waystation uses it')
  })

  test('is used by Spotlight when it sends its header', async () => {
    const port = await hold(
      '127.0.0.1',
      answering((_, response) => response.setHeader('x-powered-by', 'spotlight-by-sentry').end('OK')),
    )
    expect(await describeHolder(port)).toBe("Sentry's Spotlight uses it")
  })

  test('is used by another program when it does not speak HTTP', async () => {
    const server = createTcpServer((socket) => socket.end('hello\n'))
    open.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    expect(await describeHolder(address.port)).toMatch(/^another program uses it/)
  })
})
