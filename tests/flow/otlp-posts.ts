import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { OtlpEncoding, OtlpSignal } from '../../lib/otlp/signals'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import { encodeRequest, logsRequest, metricsRequest, SPAN, textAttribute, tracesRequest } from '../unit/otlp/requests'
import type { CollectorProcess } from './collector-process'

export const ENCODINGS = ['json', 'protobuf'] as const
export const CONTENT_TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' } as const

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')

export const clientOf = ({ url }: Pick<CollectorProcess, 'url'>): CollectorClient => collectorClient(url, fetch)

export interface MadeRequest {
  readonly traceId: string
  readonly spanId: string
  readonly body: Buffer
}

/** A request of any signal with one entry, in a new trace. @param fields of its span, log record or data point */
export function madeRequest(signal: OtlpSignal, encoding: OtlpEncoding, fields: object = {}): MadeRequest {
  const [traceId, spanId] = [hex(16), hex(8)]
  const request = {
    traces: () => tracesRequest({ ...SPAN, traceId, spanId, ...fields }),
    logs: () =>
      logsRequest({
        timeUnixNano: '1544712660300000321',
        severityNumber: 13,
        body: { stringValue: `the cart of ${spanId} is empty` },
        traceId,
        spanId,
        ...fields,
      }),
    metrics: () => {
      const exemplars = [{ timeUnixNano: '1544712660300000321', asDouble: 1.5, traceId, spanId }]
      const point = { timeUnixNano: '1544712660300000321', asInt: '3', exemplars, ...fields }
      return metricsRequest({ name: `carts.${spanId}`, unit: '{cart}', gauge: { dataPoints: [point] } })
    },
  }[signal]()
  return { traceId, spanId, body: Buffer.from(encodeRequest(signal, encoding, request)) }
}

export interface OtlpPost {
  readonly signal: OtlpSignal
  readonly body: Uint8Array
  readonly encoding?: OtlpEncoding
  /** By default the path of OTLP/HTTP. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Posts an export request. */
export const postOtlp = (
  collector: Pick<CollectorProcess, 'url'>,
  { signal, body, encoding = 'json', path = `/v1/${signal}`, headers = {} }: OtlpPost,
): Promise<Response> =>
  fetch(`${collector.url}${path}`, {
    method: 'POST',
    body: Buffer.from(body),
    headers: { 'content-type': CONTENT_TYPES[encoding], ...headers },
  })

/** The bodies of all records. */
async function recordedBodies(collector: Pick<CollectorProcess, 'url'>): Promise<readonly Buffer[]> {
  const bodies: Buffer[] = []
  for (let after = 0; ; ) {
    const { recorded, next, journal } = await clientOf(collector).recorded({ after })
    bodies.push(...recorded.map(({ body }) => Buffer.from(body, 'base64')))
    if (next === journal) return bodies
    after = next
  }
}

/** Expects that the record has exactly these bytes, so many times. */
export async function expectStored(collector: Pick<CollectorProcess, 'url'>, body: Buffer, times = 1): Promise<void> {
  const bodies = await recordedBodies(collector)
  expect(bodies.filter((one) => one.equals(body))).toHaveLength(times)
}

/** Attributes of this many bytes, which do not compress. */
export function noise(bytes: number): readonly object[] {
  const PIECE = 65_536
  return Array.from({ length: Math.ceil(bytes / PIECE) }, (_, index) =>
    textAttribute(`piece-${index}`, randomBytes((PIECE * 3) / 4).toString('base64')),
  )
}
