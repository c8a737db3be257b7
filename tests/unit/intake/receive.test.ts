import { describe, expect, it } from 'vitest'
import { type IntakeDeps, intakeRoutes } from '../../../collector/intake/receive'
import { UnscrubbedError } from '../../../collector/runtime/thread-errors'
import { intakeDeps } from './intake-deps'

const ENVELOPE =
  '{"dsn":"http://k@h.test/1","event_id":"e7e61c49bce441e98fb7dfb591bbfc26"}\n{"type":"event"}\n{"message":"a@example.com"}'
const REMOVED = { rule: 'email', path: '0.message' } as const

async function post(scrubStored: IntakeDeps['scrubStored']) {
  const variables = { WAYSTATION_SCRUB: 'on', WAYSTATION_UPSTREAM: 'http://k@h.test/1' }
  const bytes = new TextEncoder().encode(ENVELOPE)
  const { deps, appended, refused } = intakeDeps(variables, bytes)
  const routes = intakeRoutes({ ...deps, scrubStored })
  const incoming = { headers: {}, iterator: () => [], socket: { remoteAddress: '127.0.0.1' } }
  const outgoing = { destroyed: false, once: () => undefined }
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  const response = await routes.request('/tunnel', { method: 'POST', headers, body: ENVELOPE }, { incoming, outgoing })
  return { response, appended, refused, size: bytes.length }
}

describe('with WAYSTATION_SCRUB_STORE=on', () => {
  it('refuses and counts an envelope that cannot be scrubbed, and stores nothing', async () => {
    const { response, appended, refused, size } = await post(async () => {
      throw new UnscrubbedError('it takes too long to scrub')
    })
    expect([response.status, appended, refused]).toEqual([422, [], [{ reason: 'unscrubbed', wireBytes: size }]])
    expect(await response.json()).toEqual({
      detail: expect.stringContaining('nothing is stored'),
      causes: ['the record could not be scrubbed: it takes too long to scrub'],
    })
  })

  it('stores the scrubbed body without the client address', async () => {
    const body = new TextEncoder().encode(ENVELOPE.replace('a@example.com', '[Filtered]'))
    const { response, appended } = await post(async () => ({ body, removed: [REMOVED] }))
    expect(response.status).toBe(200)
    expect(appended).toMatchObject([{ body, facts: { forwardedFor: null, scrubbed: [REMOVED] } }])
  })
})

it('without WAYSTATION_SCRUB_STORE the original body is stored with the client address', async () => {
  const { appended } = await post(null)
  expect(appended).toMatchObject([{ body: new TextEncoder().encode(ENVELOPE), facts: { forwardedFor: '203.0.113.7' } }])
})
