import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AppProbe, acceptsConnections, checkTunnel, readPageSdk } from '../../../collector/cli/doctor/doctor-app'
import type { CheckResult } from '../../../collector/cli/doctor/doctor-checks'

const APP = 'http://localhost:3000'
const timeout = new DOMException('timed out after 10 s', 'TimeoutError')
const probe = (cause: Error, accepts: boolean): AppProbe => ({
  fetch: () => Promise.reject(cause),
  connects: async () => accepts,
  appUrl: APP,
  tunnel: '/tunnel',
  requiresTunnel: false,
  stop: new AbortController().signal,
})

async function unansweredPage(given: AppProbe): Promise<CheckResult> {
  const read = await readPageSdk(given)
  if (read.ok) throw new Error('the page was read')
  return read.error
}

describe.each<[string, (given: AppProbe) => Promise<CheckResult>, string]>([
  ['the page', unansweredPage, APP],
  ['the tunnel', checkTunnel, `${APP}/tunnel`],
])('the check of %s', (_what, check, url) => {
  it('suggests to try again when the app accepts connections but does not answer', async () => {
    expect(await check(probe(timeout, true))).toEqual({
      state: 'broken',
      found: `${url} accepts connections but does not answer: timed out after 10 s.`,
      fix: 'The app may be compiling the page, as next dev does at the first request, or busy. Run doctor again.',
    })
  })

  it.each([
    ['accepts no connection in time', timeout, 'timed out after 10 s'],
    [
      'refuses connections',
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
      'connect ECONNREFUSED',
    ],
  ])('suggests to start an app that %s', async (_how, cause, why) => {
    expect(await check(probe(cause, false))).toEqual({
      state: 'broken',
      found: `${url} does not answer: ${why}.`,
      fix: 'Start the app, or set its address with --app.',
    })
  })
})

it('an address accepts connections while a program listens', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/tunnel`
  expect(await acceptsConnections(url)).toBe(true)
  await new Promise((resolve) => {
    server.close(resolve)
  })
  expect(await acceptsConnections(url)).toBe(false)
})
