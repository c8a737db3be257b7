import { expect, it } from 'vitest'
import { otlpRoutes } from '../../../collector/intake/receive'
import { encodeRequest, SPAN, tracesRequest } from '../otlp/requests'
import { intakeDeps } from './intake-deps'

const TOKEN = 'a token of sixteen or more'

/** Posts one span without a key. @param peer address of the sender */
async function post(peer: string, headers: Readonly<Record<string, string>> = {}) {
  const variables = { WAYSTATION_TOKEN: TOKEN, WAYSTATION_UPSTREAM: 'http://k@h.test/7' }
  const { deps, appended, refused } = intakeDeps(variables, encodeRequest('traces', 'json', tracesRequest(SPAN)))
  const routes = otlpRoutes(deps)
  const incoming = { headers: {}, iterator: () => [], socket: { remoteAddress: peer } }
  const sent = { 'content-type': 'application/json', ...headers }
  const response = await routes.request('/v1/traces', { method: 'POST', headers: sent, body: 'x' }, { incoming })
  const reasons = refused.map(({ reason }) => reason)
  return {
    status: response.status,
    refused: reasons,
    of: appended.map(({ publicKey, project }) => `${publicKey}/${project}`),
  }
}

it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'a request of OpenTelemetry without a key belongs to the local DSN when %s sends it',
  async (peer) => {
    expect(await post(peer)).toEqual({ status: 200, refused: [], of: ['k/7'] })
  },
)

it('a request of OpenTelemetry without a key is refused from another machine without the token', async () => {
  const refusal = { status: 401, refused: ['no_key'], of: [] }
  expect(await post('192.0.2.5')).toEqual(refusal)
  expect(await post('192.0.2.5', { authorization: 'Bearer another token of that length' })).toEqual(refusal)
})

it('a request of OpenTelemetry without a key is accepted from another machine with the token', async () => {
  const accepted = { status: 200, refused: [], of: ['k/7'] }
  expect(await post('192.0.2.5', { authorization: `Bearer ${TOKEN}` })).toEqual(accepted)
})
