import { expect, it } from 'vitest'
import { otlpRoutes } from '../../../collector/intake/receive'
import { RateLimits } from '../../../collector/relay/running-limits'
import { readEnvironment } from '../../../lib/config/environment'
import { succeed } from '../../../lib/protocol/result'
import type { Submission } from '../../../lib/protocol/submission'
import { encodeRequest, SPAN, tracesRequest } from '../otlp/requests'

const TOKEN = 'a token of sixteen or more'

/** Posts one span without a key. @param peer address of the sender */
async function post(peer: string, headers: Readonly<Record<string, string>> = {}) {
  const environment = readEnvironment({ WAYSTATION_TOKEN: TOKEN, WAYSTATION_UPSTREAM: 'http://k@h.test/7' })
  if (!environment.ok) return expect.fail('the settings cannot be read')
  const appended: Submission[] = []
  const refused: string[] = []
  const bytes = encodeRequest('traces', 'json', tracesRequest(SPAN))
  const routes = otlpRoutes({
    environment: environment.value,
    spool: {
      append: async (submission) => {
        appended.push(submission)
        return { seq: 1, journal: 1 }
      },
      addUnseenAnswer: async () => undefined,
      countRefusal: async (reason) => {
        refused.push(reason)
      },
    },
    rateLimits: new RateLimits([], { now: () => 0, monotonic: () => 0 }),
    readBody: async () => succeed({ bytes, wireBytes: bytes.length, release: () => undefined }),
    scrubStored: null,
    initialStatus: () => 'pending',
    now: () => 0,
    logOtlpRefusal: () => undefined,
    report: () => undefined,
    uptime: () => ({ boot: 'now', uptimeMs: 0 }),
    newReceipt: () => '00000000-0000-7000-8000-000000000000',
  })
  const incoming = { headers: {}, iterator: () => [], socket: { remoteAddress: peer } }
  const sent = { 'content-type': 'application/json', ...headers }
  const response = await routes.request('/v1/traces', { method: 'POST', headers: sent, body: 'x' }, { incoming })
  return { status: response.status, refused, of: appended.map(({ publicKey, project }) => `${publicKey}/${project}`) }
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
