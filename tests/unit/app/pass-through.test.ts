import { describe, expect, it } from 'vitest'
import { passThrough } from '../../../app/collector/[...path]/pass-through'
import { isProblem } from '../../../lib/wire/errors'

interface SentRequest {
  readonly url: string
  readonly init: RequestInit
}

function collectorThat(answer: (request: SentRequest) => Promise<Response> | Response) {
  const sent: SentRequest[] = []
  const fetchLike: typeof fetch = async (input, init = {}) => {
    const one = { url: String(input), init }
    sent.push(one)
    return answer(one)
  }
  return { sent, collector: { collectorUrl: 'http://127.0.0.1:8969', fetchLike } }
}

const get = (path: string, headers: HeadersInit = {}, signal?: AbortSignal): Request =>
  new Request(`http://localhost:3000/collector/${path}`, { headers, ...(signal !== undefined && { signal }) })

describe('passThrough', () => {
  it('keeps path and query', async () => {
    const { sent, collector } = collectorThat(() => new Response('{}'))
    await passThrough(get('query/traces?limit=2&cursor=a%2Fb'), ['query', 'traces'], collector)
    expect(sent[0]?.url).toBe('http://127.0.0.1:8969/query/traces?limit=2&cursor=a%2Fb')
  })

  it('passes on the session and the token but no other cookies, and removes cookies from the answer', async () => {
    const { sent, collector } = collectorThat(() => new Response('{}', { headers: { 'set-cookie': 'a=b', etag: 'e' } }))
    const answer = await passThrough(
      get('query/traces', { cookie: 'a=b; waystation-session=x', authorization: 'Bearer y', 'last-event-id': '7' }),
      ['query', 'traces'],
      collector,
    )
    expect([...new Headers(sent[0]?.init.headers)]).toEqual([
      ['authorization', 'Bearer y'],
      ['cookie', 'waystation-session=x'],
      ['last-event-id', '7'],
    ])
    expect(answer.headers.has('set-cookie')).toBe(false)
    expect(answer.headers.get('etag')).toBe('e')
  })

  it.each([
    ['telemetry itself', ['api', '1', 'envelope']],
    ['metrics', ['metrics']],
    ['a path with dot segments', ['query', '..', 'metrics']],
  ])('answers 404 for %s', async (_what, path) => {
    const { sent, collector } = collectorThat(() => new Response('{}'))
    const answer = await passThrough(get(path.join('/')), path, collector)
    expect(answer.status).toBe(404)
    expect(isProblem(await answer.json())).toBe(true)
    expect(sent).toEqual([])
  })

  it('answers 503 with the reason when the collector is down', async () => {
    const { collector } = collectorThat(() => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:8969') })
    })
    const answer = await passThrough(get('query/traces'), ['query', 'traces'], collector)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({
      detail: 'the collector does not answer at http://127.0.0.1:8969',
      causes: ['fetch failed', 'connect ECONNREFUSED 127.0.0.1:8969'],
    })
  })

  it('aborts the request to the collector when the visitor disconnects', async () => {
    const gone = new AbortController()
    const { sent, collector } = collectorThat(
      ({ init }) =>
        new Promise((_resolve, reject) => {
          init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
        }),
    )
    const answer = passThrough(get('query/stream', {}, gone.signal), ['query', 'stream'], collector)
    gone.abort()
    expect((await answer).status).toBe(499)
    expect(sent[0]?.init.signal?.aborted).toBe(true)
  })

  it('forbids scripts in recorded bytes', async () => {
    const { collector } = collectorThat(() => new Response('<script>', { headers: { 'content-type': 'text/html' } }))
    const answer = await passThrough(get('query/envelopes/1?raw'), ['query', 'envelopes', '1'], collector)
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('refuses a control message over the limit with 413', async () => {
    const { sent, collector } = collectorThat(() => new Response('{}'))
    const request = new Request('http://localhost/collector/control/lab', { method: 'POST', body: 'x'.repeat(65_537) })
    expect((await passThrough(request, ['control', 'lab'], collector)).status).toBe(413)
    expect(sent).toEqual([])
  })
})
