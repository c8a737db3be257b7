import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { closeAll } from '../../../collector/api/listen'
import { createRareLog, listenForOtlp } from '../../../collector/api/otlp-port'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((clean) => clean()))
})

/** A port that another program has. */
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => once(server.close(), 'close'))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

const listen = (port: number | null, isPortSet: boolean) =>
  listenForOtlp(() => new Response('it answers'), {
    hosts: ['127.0.0.1'],
    port,
    isPortSet,
    collectorPort: 8969,
    onHttp2: () => undefined,
  })

describe('the port of OpenTelemetry', () => {
  it('answers where it is free', async () => {
    const { servers, port, taken } = await listen(0, true)
    cleanups.push(() => closeAll(servers))
    expect(taken).toBeNull()
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('it answers')
  })

  it.each([null, 8969])('is the port of the collector where the setting is %s', async (port) => {
    expect(await listen(port, true)).toEqual({ servers: [], port: 8969, taken: null })
  })

  it('is the port of the collector where another program has the default one', async () => {
    const port = await takenPort()
    expect(await listen(port, false)).toEqual({ servers: [], port: 8969, taken: port })
  })

  it('is an error with the value where another program has the one that was set', async () => {
    const port = await takenPort()
    await expect(listen(port, true)).rejects.toThrow(
      `WAYSTATION_OTLP_PORT=${port} cannot be used: the port is taken; stop the program that uses it`,
    )
  })
})

it('the log of repeated lines has a line of each key at most once a minute', () => {
  const lines: string[] = []
  let now = 0
  const log = createRareLog({ log: (line) => lines.push(line), monotonic: () => now })
  for (now of [0, 1, 59_999]) for (const key of ['grpc', 'no_key']) log(key, `${key} at ${now}`)
  expect(lines).toEqual(['grpc at 0', 'no_key at 0'])
  now = 60_000
  log('grpc', 'grpc again')
  expect(lines).toEqual(['grpc at 0', 'no_key at 0', 'grpc again'])
})
