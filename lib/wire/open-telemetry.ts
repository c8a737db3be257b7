import * as z from 'zod'

export const attributesSchema = z.record(z.string(), z.unknown())

/** The entity that produced telemetry: a program, on a machine, with an SDK. */
export const resourceSchema = z.object({
  attributes: attributesSchema,
  droppedAttributes: z.number(),
  schemaUrl: z.string().nullable(),
})
export type OtelResource = z.infer<typeof resourceSchema>

/** The library that recorded it. */
export const scopeSchema = z.object({
  name: z.string().nullable(),
  version: z.string().nullable(),
  attributes: attributesSchema,
  droppedAttributes: z.number(),
  schemaUrl: z.string().nullable(),
})
export type OtelScope = z.infer<typeof scopeSchema>

/** A number; decimal text where a 64-bit integer exceeds 2^53, and `NaN`, `Infinity` or `-Infinity`, which JSON lacks. */
export type ExactNumber = number | string
type MaybeNumber = ExactNumber | null

interface BucketRun {
  readonly offset: number
  readonly counts: readonly MaybeNumber[]
}

/** Fields of a metric of kind `histogram`: a bucket more than there are bounds, or no buckets. */
export interface Histogram {
  readonly bounds: readonly MaybeNumber[]
  readonly buckets: readonly MaybeNumber[]
}

/** Fields of a metric of kind `exponential_histogram`. */
export interface ExponentialHistogram {
  readonly scale: number
  readonly zeroCount: ExactNumber
  readonly zeroThreshold: ExactNumber
  readonly positive: BucketRun | null
  readonly negative: BucketRun | null
}

/** Fields of a metric of kind `summary`. */
export interface Summary {
  readonly quantiles: readonly { readonly quantile: ExactNumber; readonly value: ExactNumber }[]
}

/** An example of a measurement behind a metric; some have the span that was active. */
export interface Exemplar {
  readonly value: MaybeNumber
  readonly timeNanos: string | null
  readonly traceId: string | null
  readonly spanId: string | null
  readonly attributes: Readonly<Record<string, unknown>>
}
