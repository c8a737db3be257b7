import type { PostEnvelope } from './posting-transport'

const TIMEOUT_MS = 5_000

/** Posts envelopes to a tunnel over HTTP, for runtimes that cannot hold one. */
export const postOverHttp =
  (url: string, fetchLike: typeof fetch): PostEnvelope =>
  async (body, headers) => {
    const answer = await fetchLike(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-sentry-envelope' },
      body: typeof body === 'string' ? body : new Uint8Array(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      cache: 'no-store',
    })
    return {
      statusCode: answer.status,
      headers: {
        'x-sentry-rate-limits': answer.headers.get('x-sentry-rate-limits'),
        'retry-after': answer.headers.get('retry-after'),
      },
    }
  }
