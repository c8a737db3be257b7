import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AppProbe, connectsTo, lookAtPage, lookAtTunnel } from '../../../collector/cli/doctor-app'
import type { Look } from '../../../collector/cli/doctor-link'

const APP = 'http://localhost:3000'
const late = new DOMException('not within 10 s', 'TimeoutError')
const probe = (cause: Error, isThere: boolean): AppProbe => ({
  fetch: () => Promise.reject(cause),
  connects: async () => isThere,
  appUrl: APP,
  tunnel: '/tunnel',
  tunnelIsAskedFor: false,
  stop: new AbortController().signal,
})

describe.each<[string, (given: AppProbe) => Promise<Look>, string]>([
  ['the page', (given) => lookAtPage(given, { tunnelIsThere: true }), APP],
  ['the tunnel', lookAtTunnel, `${APP}/tunnel`],
])('of an app %s', (_what, look, url) => {
  it('that is reached and not done in time may be compiling', async () => {
    expect(await look(probe(late, true))).toEqual({
      state: 'broken',
      seen: `${url} takes the connection, and was not done: not within 10 s.`,
      mend: 'Is the app compiling this just now, as next dev does when it is first asked for, or busy? Ask again.',
    })
  })

  it.each([
    ['takes no connection in time', late, 'not within 10 s'],
    [
      'refuses one',
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
      'connect ECONNREFUSED',
    ],
  ])('that %s is to be started', async (_how, cause, why) => {
    expect(await look(probe(cause, false))).toEqual({
      state: 'broken',
      seen: `${url} does not answer: ${why}.`,
      mend: 'Start the app, or name its address with --app.',
    })
  })
})

it('an address takes connections where somebody listens', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/tunnel`
  expect(await connectsTo(url)).toBe(true)
  await new Promise((resolve) => {
    server.close(resolve)
  })
  expect(await connectsTo(url)).toBe(false)
})
