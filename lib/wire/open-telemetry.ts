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
const exactSchema = z.union([z.number(), z.string()])
export type ExactNumber = z.infer<typeof exactSchema>

const bucketRunSchema = z.object({ offset: z.number(), counts: z.array(exactSchema.nullable()) })

/** Fields of a metric of kind `histogram`: a bucket more than there are bounds, or no buckets. */
export const histogramSchema = z.object({
  bounds: z.array(exactSchema.nullable()),
  buckets: z.array(exactSchema.nullable()).min(1),
})

/** Fields of a metric of kind `exponential_histogram`. */
export const exponentialHistogramSchema = z.object({
  scale: z.number(),
  zeroCount: exactSchema,
  zeroThreshold: exactSchema,
  positive: bucketRunSchema.nullable(),
  negative: bucketRunSchema.nullable(),
})

/** Fields of a metric of kind `summary`. */
export const summarySchema = z.object({
  quantiles: z.array(z.object({ quantile: exactSchema, value: exactSchema })).min(1),
})

/** Examples of measurements behind a metric, some with the span that was active. */
export const exemplarsSchema = z
  .array(
    z.object({
      value: exactSchema.nullable(),
      timeNanos: z.string().nullable(),
      traceId: z.string().nullable(),
      spanId: z.string().nullable(),
      attributes: attributesSchema,
    }),
  )
  .min(1)
export type Exemplar = z.infer<typeof exemplarsSchema>[number]
