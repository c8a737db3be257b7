import { describe, expect, it } from 'vitest'
import type { TunnelSender } from '../../../lib/tunnel/envelope-header'
import { authoriseTraces, isCollectorPath, toTracesResponse } from '../../../lib/tunnel/trace-request'

const accepts = (sent: TunnelSender) => sent.publicKey === 'allowed' && sent.projectId === '42'
const projectOfKey = () => '42'
const JSON_TYPE = { 'content-type': 'application/json' }

function authorised(headers: Record<string, string>) {
  return authoriseTraces(new Headers({ ...JSON_TYPE, ...headers }), accepts, projectOfKey)
}
const statusOf = (headers: Record<string, string>) => {
  const result = authorised(headers)
  return result.ok ? 200 : result.error.status
}

describe('authoriseTraces', () => {
  it.each([
    'sentry sentry_key=allowed',
    'Sentry sentry_version=7, sentry_key=allowed',
    'Sentry sentry_key="allowed", sentry_version=7',
    '  SENTRY sentry_client=otel/1,SENTRY_KEY = allowed',
  ])('returns the path of the collector for %j', (header) => {
    const path = '/api/42/otlp/v1/traces?sentry_key=allowed'
    expect(authorised({ 'x-sentry-auth': header })).toEqual({ ok: true, value: path })
  })

  it.each<[number, string, string]>([
    [403, 'an unknown key', 'sentry sentry_key=other'],
    [403, 'a key that begins alike', 'sentry sentry_key=allowed2'],
    [400, 'a key with a path', 'sentry sentry_key=allowed/../../../control'],
    [400, 'a key with a query', 'sentry sentry_key=allowed&x=1'],
    [400, 'an empty key', 'sentry sentry_key='],
    [401, 'no key', 'sentry sentry_version=7'],
    [401, 'another scheme', 'Bearer sentry_key=allowed'],
    [401, 'a field whose name ends alike', 'sentry not_sentry_key=allowed'],
  ])('answers %i for %s', (status, _what, header) => {
    expect(statusOf({ 'x-sentry-auth': header })).toBe(status)
  })

  it('refuses a request without the header, and names it', () => {
    expect(authorised({})).toMatchObject({ error: { status: 401, body: expect.stringContaining('x-sentry-auth') } })
  })

  it.each<[number, string]>([
    [200, 'application/json; charset=utf-8'],
    [200, 'application/x-protobuf'],
    [415, 'text/plain'],
    [415, 'application/x-sentry-envelope'],
    [415, ''],
  ])('answers %i for the content type %j', (status, type) => {
    expect(statusOf({ 'x-sentry-auth': 'sentry sentry_key=allowed', 'content-type': type })).toBe(status)
  })

  it('answers 404 in a tunnel that cannot find the project of a key', () => {
    const headers = new Headers({ ...JSON_TYPE, 'x-sentry-auth': 'sentry sentry_key=allowed' })
    expect(authoriseTraces(headers, accepts, null)).toMatchObject({ ok: false, error: { status: 404 } })
  })
})

it.each(['/tunnel', '/api/1/otlp/v1/traces?sentry_key=local'])('isCollectorPath accepts %s', (path) => {
  expect(isCollectorPath(path)).toBe(true)
})

it.each([
  '/control/clear',
  '/tunnel/../control/clear',
  '/api/1/otlp/v1/traces',
  '/api/1/otlp/v1/logs?sentry_key=local',
  '/api/../control/otlp/v1/traces?sentry_key=local',
  '/api/1/otlp/v1/traces?sentry_key=local&x=1',
  '@evil.test/api/1/otlp/v1/traces?sentry_key=local',
  '',
  null,
  42,
])('isCollectorPath rejects %j', (path) => {
  expect(isCollectorPath(path)).toBe(false)
})

describe('the answer to an export request', () => {
  const answer = (status: number, body: string, type: string) =>
    toTracesResponse({ status, headers: { 'retry-after': '7' }, body }, new Headers({ 'content-type': type }))

  it('the answer in JSON is the answer of the collector', async () => {
    const response = answer(200, '{"partialSuccess":{"rejectedSpans":"1"}}', 'application/json')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ partialSuccess: { rejectedSpans: '1' } })
  })

  it('the answer in protobuf is an empty message', async () => {
    const response = answer(200, '{}', 'application/x-protobuf')
    expect(response.headers.get('content-type')).toBe('application/x-protobuf')
    expect((await response.arrayBuffer()).byteLength).toBe(0)
  })

  it('keeps status, headers and text of a refusal', async () => {
    const response = answer(429, '{"detail":"d"}', 'application/x-protobuf')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ detail: 'd' })
  })
})
