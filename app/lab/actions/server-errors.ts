import type { Caused, LabAction, LabPlace } from '../entry'
import { failOnServer } from '../fail-on-server'
import { inOwnTrace } from '../own-trace'

export const serverPageError: LabPlace = {
  kind: 'visit',
  id: 'server-page-error',
  title: 'Server error in a page',
  expect: 'The fallback with the server-side text and a digest; two events in one trace, server and browser.',
  href: '/lab/server-error',
  document: true,
}

export const routeHandlerError: LabAction = {
  kind: 'run',
  id: 'route-handler-error',
  title: 'Server error in a route handler',
  expect: 'The request in the browser, the server segment below it, and the event of the server.',
  run: () => failingCall('lab: route handler error', '/lab/api/route-error'),
}

export const serverActionError: LabAction = {
  kind: 'run',
  id: 'server-action-error',
  title: 'Server error in a server action',
  expect: 'The POST of the action, the server segment below it, and the event of the server.',
  run: async () => {
    const { traceId, value: digest } = await inOwnTrace('lab: server action error', async () => {
      try {
        await failOnServer()
        return null
      } catch (error) {
        return error instanceof Error && 'digest' in error ? String(error.digest) : null
      }
    })
    return { traceId, observed: [digest === null ? 'the action did not fail' : `the action failed, digest ${digest}`] }
  },
}

export const edgeError: LabAction = {
  kind: 'run',
  id: 'edge-error',
  title: 'Server error in the edge runtime',
  expect: 'The same, from the edge SDK, which posts directly to the collector.',
  run: () => failingCall('lab: edge error', '/lab/api/edge-error'),
}

async function failingCall(name: string, path: string): Promise<Caused> {
  const { traceId, value: status } = await inOwnTrace(name, async () => (await fetch(path, { method: 'POST' })).status)
  return { traceId, observed: [`POST ${path} answered ${status}`] }
}
