import * as Sentry from '@sentry/nextjs'
import { isLabEnvelope, LAB_HEADER } from './lab'
import type { Transport, TransportOptions } from './sdk'

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

/** An SDK transport over any function that takes envelopes. Its own requests leave no spans and carry no trace headers. */
export const postingTransport = (options: TransportOptions, post: PostEnvelope): Transport =>
  Sentry.createTransport(options, ({ body }) =>
    Sentry.suppressTracing(() => post(body, isLabEnvelope(body) ? { [LAB_HEADER]: '1' } : {})),
  )
