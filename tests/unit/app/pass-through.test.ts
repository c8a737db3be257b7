import { describe, expect, it } from 'vitest'
import { passThrough } from '../../../app/collector/[...path]/pass-through'
import { problemSchema } from '../../../lib/wire/errors'

interface Asked {
  readonly url: string
  readonly init: RequestInit
}

function collectorThat(answer: (asked: Asked) => Promise<Response> | Response) {
  const asked: Asked[] = []
  const fetchLike: typeof fetch = async (input, init = {}) => {
    const one = { url: String(input), init }
    asked.push(one)
    return answer(one)
  }
  return { asked, collector: { collectorUrl: 'http://127.0.0.1:8969', token: undefined, fetchLike } }
}

const get = (path: string, headers: HeadersInit = {}, signal?: AbortSignal): Request =>
  new Request(`http://localhost:3000/collector/${path}`, { headers, ...(signal !== undefined && { signal }) })

describe('the way through to the collector', () => {
  it('keeps path and query', async () => {
    const { asked, collector } = collectorThat(() => new Response('{}'))
    await passThrough(get('query/traces?limit=2&cursor=a%2Fb'), ['query', 'traces'], collector)
    expect(asked[0]?.url).toBe('http://127.0.0.1:8969/query/traces?limit=2&cursor=a%2Fb')
  })

  it('passes no cookie and no credential on, and answers with no cookie', async () => {
    const { asked, collector } = collectorThat(
      () => new Response('{}', { headers: { 'set-cookie': 'a=b', etag: 'e' } }),
    )
    const answer = await passThrough(
      get('query/traces', { cookie: 'waystation-token=x', authorization: 'Bearer y', 'last-event-id': '7' }),
      ['query', 'traces'],
      collector,
    )
    expect([...new Headers(asked[0]?.init.headers)]).toEqual([['last-event-id', '7']])
    expect(answer.headers.has('set-cookie')).toBe(false)
    expect(answer.headers.get('etag')).toBe('e')
  })

  it('shows the collector the configured token', async () => {
    const { asked, collector } = collectorThat(() => new Response('{}'))
    await passThrough(get('query/traces'), ['query', 'traces'], { ...collector, token: 'secret' })
    expect(new Headers(asked[0]?.init.headers).get('authorization')).toBe('Bearer secret')
  })

  it.each([
    ['telemetry itself', ['api', '1', 'envelope']],
    ['metrics', ['metrics']],
    ['a way around by dots', ['query', '..', 'metrics']],
  ])('has no endpoint for %s', async (_what, path) => {
    const { asked, collector } = collectorThat(() => new Response('{}'))
    const answer = await passThrough(get(path.join('/')), path, collector)
    expect(answer.status).toBe(404)
    expect(problemSchema.safeParse(await answer.json()).success).toBe(true)
    expect(asked).toEqual([])
  })

  it('answers 503 with the reason when the collector is down', async () => {
    const { collector } = collectorThat(() => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:8969') })
    })
    const answer = await passThrough(get('query/traces'), ['query', 'traces'], collector)
    expect(answer.status).toBe(503)
    expect(problemSchema.parse(await answer.json())).toEqual({
      detail: 'the collector does not answer at http://127.0.0.1:8969',
      causes: ['fetch failed', 'connect ECONNREFUSED 127.0.0.1:8969'],
    })
  })

  it('closes the collector’s side when the visitor goes away', async () => {
    const gone = new AbortController()
    const { asked, collector } = collectorThat(
      ({ init }) =>
        new Promise((_resolve, reject) => {
          init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
        }),
    )
    const answer = passThrough(get('query/stream', {}, gone.signal), ['query', 'stream'], collector)
    gone.abort()
    expect((await answer).status).toBe(499)
    expect(asked[0]?.init.signal?.aborted).toBe(true)
  })

  it('lets a browser run nothing of what was recorded', async () => {
    const { collector } = collectorThat(() => new Response('<script>', { headers: { 'content-type': 'text/html' } }))
    const answer = await passThrough(get('query/envelopes/1?raw'), ['query', 'envelopes', '1'], collector)
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('refuses a control message that is too long', async () => {
    const { asked, collector } = collectorThat(() => new Response('{}'))
    const request = new Request('http://localhost/collector/control/lab', { method: 'POST', body: 'x'.repeat(65_537) })
    expect((await passThrough(request, ['control', 'lab'], collector)).status).toBe(413)
    expect(asked).toEqual([])
  })
})
