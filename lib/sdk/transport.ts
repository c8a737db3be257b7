import * as Sentry from '@sentry/nextjs'
import { EVENT_BUFFER_ITEMS } from '../contract/values'
import { LAB_HEADER, STAMP_HEADER } from '../protocol/request'
import { isLabEnvelope } from './lab'

interface PostAnswer {
  readonly statusCode: number
  readonly headers: {
    readonly 'x-sentry-rate-limits': string | null
    readonly 'retry-after': string | null
    readonly [name: string]: string | null
  }
}

/** Posts one serialized envelope; rejects when there was no answer. */
export type PostEnvelope = (body: string | Uint8Array, headers: Readonly<Record<string, string>>) => Promise<PostAnswer>

/**
 * Its requests leave no spans and carry no trace headers. It has at most `EVENT_BUFFER_ITEMS` open sends and drops more of
 * them as `queue_overflow`, whatever `transportOptions.bufferSize` is: the SDK's client buffers with that size, too.
 * @param stampOf returns the stamp of an envelope, which is sent in a header and never inside the envelope.
 */
export function postingTransport(
  options: TransportOptions,
  post: PostEnvelope,
  stampOf: (envelope: Envelope) => string | null,
): Transport {
  let stamp: string | null = null
  const inner = Sentry.createTransport({ ...options, bufferSize: EVENT_BUFFER_ITEMS }, ({ body }) => {
    const headers = {
      ...(isLabEnvelope(body) && { [LAB_HEADER]: '1' }),
      ...(stamp !== null && { [STAMP_HEADER]: stamp }),
    }
    return Sentry.suppressTracing(() => post(body, headers))
  })
  return {
    flush: (timeout) => inner.flush(timeout),
    send: (envelope) => {
      // The SDK calls the function above before `send` returns, or never; it passes only the body, not the envelope.
      stamp = stampOf(envelope)
      try {
        return inner.send(envelope)
      } finally {
        stamp = null
      }
    },
  }
}

const TIMEOUT_MS = 5_000

/** Posts envelopes to a tunnel over HTTP, for runtimes that cannot run the tunnel themselves. */
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

/* Types of the SDK's transport. The SDK exports the functions, but not all of their types. */
export type Transport = ReturnType<typeof Sentry.createTransport>
export type TransportOptions = Parameters<typeof Sentry.createTransport>[0]
export type Envelope = Parameters<Transport['send']>[0]
export type EnvelopeItem = Envelope[1][number]
export type RecordDrop = TransportOptions['recordDroppedEvent']
export type Integration = Parameters<typeof Sentry.addIntegration>[0]
