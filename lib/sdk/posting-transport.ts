import * as Sentry from '@sentry/nextjs'
import { STAMP_HEADER } from '../protocol/request'
import { isLabEnvelope, LAB_HEADER } from './lab'
import type { Envelope, Transport, TransportOptions } from './sdk'

/** What an SDK wants to know of an answer. */
export interface PostAnswer {
  readonly statusCode: number
  readonly headers: {
    readonly 'x-sentry-rate-limits': string | null
    readonly 'retry-after': string | null
    readonly [name: string]: string | null
  }
}

/** Takes one serialized envelope off the SDK's hands; rejects when nothing took it. */
export type PostEnvelope = (body: string | Uint8Array, headers: Readonly<Record<string, string>>) => Promise<PostAnswer>

/**
 * An SDK transport over any function that takes envelopes. Its own requests leave no spans and carry no trace headers.
 * @param stampOf what an envelope is stamped with: beside it, in a header, and never in it.
 */
export function postingTransport(
  options: TransportOptions,
  post: PostEnvelope,
  stampOf: (envelope: Envelope) => string | null,
): Transport {
  let stamp: string | null = null
  const inner = Sentry.createTransport(options, ({ body }) => {
    const headers = {
      ...(isLabEnvelope(body) && { [LAB_HEADER]: '1' }),
      ...(stamp !== null && { [STAMP_HEADER]: stamp }),
    }
    return Sentry.suppressTracing(() => post(body, headers))
  })
  return {
    flush: (timeout) => inner.flush(timeout),
    send: (envelope) => {
      // The SDK asks for the post before `send` returns or not at all, and hands over nothing but the body.
      stamp = stampOf(envelope)
      try {
        return inner.send(envelope)
      } finally {
        stamp = null
      }
    },
  }
}
