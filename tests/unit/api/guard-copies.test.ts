import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { guardCopies } from '../../../collector/api/guards'

const TOKEN = 'a-token-of-sixteen-letters'

async function post(remoteAddress: string, token: string | undefined, headers: Record<string, string> = {}) {
  const app = new Hono()
  app.use('/stream/*', guardCopies({ token }))
  app.post('/stream', (c) => c.body(null, 200))
  const env = { incoming: { socket: { remoteAddress } } }
  return (await app.request('/stream', { method: 'POST', headers }, env)).status
}

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'guardCopies accepts a copy from %s without the token',
  async (address) => {
    expect(await post(address, TOKEN)).toBe(200)
    expect(await post(address, undefined)).toBe(200)
  },
)

it.each(['192.168.1.5', '::ffff:10.0.0.1', 'fe80::1'])('guardCopies requires the token from %s', async (address) => {
  expect(await post(address, TOKEN)).toBe(401)
  expect(await post(address, undefined)).toBe(401)
  expect(await post(address, TOKEN, { authorization: 'Bearer a-wrong-token-of-letters' })).toBe(401)
  expect(await post(address, TOKEN, { authorization: `Bearer ${TOKEN}` })).toBe(200)
})
