import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { overviewSchema } from '../../lib/wire/overview'
import { endCollectors, temporaryFolder } from './collector-process'
import { errorEnvelope } from './envelopes'
import { familyOf, oneOf } from './npm-start'
import { type RunningCommand, startCommand } from './run-process'

afterAll(endCollectors)

const running = new Set<RunningCommand>()
afterAll(() => {
  for (const { child } of running) child.kill('SIGKILL')
})

/** `waystation start` on a free port; the address that it prints. */
async function started(env: Record<string, string> = {}, words: readonly string[] = []) {
  const data = temporaryFolder()
  const settings = { WAYSTATION_DATA: data, WAYSTATION_OTLP_PORT: 'off', ...env }
  const command = startCommand(['start', '--port', '0', ...words], settings, undefined, data)
  running.add(command)
  let out = ''
  command.child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  await command.printed('Ctrl-C stops it.')
  const url = /Live +(\S+)/.exec(out)?.[1] ?? ''
  return { command, url, out }
}

it('serves boards in any folder, refuses changes by other pages, and stops on a signal', async () => {
  const { command, url, out } = await started()
  expect(out).not.toContain('Lab')
  expect(out).toMatch(/http:\/\/local@127\.0\.0\.1:\d+\/1/)
  expect(await (await fetch(`${url}/traces`)).text()).toContain('<title>Traces · Waystation</title>')
  const { body } = errorEnvelope(/http:\/\/local@\S+/.exec(out)?.[0] ?? '')
  expect((await fetch(`${url}/api/1/envelope/?sentry_key=local`, { method: 'POST', body })).status).toBe(200)
  // A page may post plain text to any address without a preflight request.
  const clear = (origin: string) =>
    fetch(`${url}/control/clear`, { method: 'POST', headers: { origin, 'content-type': 'text/plain' }, body: '{}' })
  const stored = async () => overviewSchema.parse(await (await fetch(`${url}/query/overview`)).json()).counts.envelopes
  await expect.poll(stored).toBe(1)
  expect((await clear('http://localhost:3000')).status).toBe(403)
  expect(await stored()).toBe(1)
  expect(await (await clear(url)).json()).toEqual({ cleared: 1 })
  command.child.kill('SIGTERM')
  expect(await command.ended).toMatchObject({ code: 0, err: expect.stringContaining('Stopped.') })
})

it('starts a collector that ended again, at the same address', async () => {
  const { command, url } = await started()
  let messages = ''
  command.child.stderr?.on('data', (chunk: Buffer) => {
    messages += chunk.toString()
  })
  process.kill(oneOf(familyOf(command.child.pid ?? 0)), 'SIGKILL')
  await expect.poll(() => messages).toContain('The collector is back.')
  expect(messages).toContain('Until it is back, SDKs that send to the DSN get no connection.')
  expect((await fetch(`${url}/health/live`)).status).toBe(200)
  command.child.kill('SIGTERM')
  expect((await command.ended).code).toBe(0)
})

it('lets the app of WAYSTATION_APP_URL change, and stores where --data says', async () => {
  const data = join(temporaryFolder(), 'here')
  mkdirSync(data)
  const { command, url, out } = await started({ WAYSTATION_APP_URL: 'http://localhost:4999' }, ['--data', data])
  expect(out).toContain(data)
  const headers = { origin: 'http://localhost:4999' }
  expect((await fetch(`${url}/control/clear`, { method: 'POST', headers, body: '{}' })).status).toBe(200)
  command.child.kill('SIGTERM')
  await command.ended
})

it.each([
  [['--port', 'x'], '--port must be a port from 0 to 65535, got "x"'],
  [['--prot', '1'], 'did you mean --port?'],
  [['now'], 'start takes no arguments, got "now"'],
])('refuses %j with code 2', async (words, message) => {
  const { ended } = startCommand(['start', ...words], { WAYSTATION_DATA: temporaryFolder() })
  expect(await ended).toMatchObject({ code: 2, err: expect.stringContaining(message) })
})

it('names the program that has the port', async () => {
  const { command, url } = await started()
  const taken = startCommand(['start', '--port', new URL(url).port], {
    WAYSTATION_DATA: temporaryFolder(),
    WAYSTATION_OTLP_PORT: 'off',
  })
  expect(await taken.ended).toMatchObject({ code: 1, err: expect.stringMatching(/port \d+ is taken/) })
  command.child.kill('SIGTERM')
  await command.ended
})
