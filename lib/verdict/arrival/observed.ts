import * as z from 'zod'
import { fail, type Result, succeed } from '../../protocol/result'
import { truncate } from '../text'

/**
 * Why a document needs no pageload. `other site`: outside of the test's origins. `frame`: not the page itself. `left`: closed
 * or left before its `load` event. `mock`: answered by the test or by a service worker.
 */
const DOCUMENT_EXEMPTIONS = [
  'other site',
  'frame',
  'redirect',
  'error status',
  'not HTML',
  'left',
  'no JavaScript',
  'mock',
] as const

const documentSchema = z.object({
  url: z.string(),
  exempt: z.enum(DOCUMENT_EXEMPTIONS).nullable(),
  /** Its page was asked to send what it buffered before it was closed, and did; otherwise a missing pageload proves nothing. */
  hasSent: z.boolean(),
})

const postSchema = z.object({
  url: z.string(),
  pageUrl: z.string(),
  /** Fields of the envelope header; with the size they identify the envelope where it arrives. */
  eventId: z.string().nullable(),
  sentAt: z.string().nullable(),
  bytes: z.number(),
  /** `null` if nobody saw an answer. */
  status: z.number().nullable(),
  /** Its items by data category. */
  items: z.array(z.object({ category: z.string(), quantity: z.number() })),
  /** The sentence of an answer that is no success; empty otherwise. */
  sentence: z.string(),
  /** The browser's reason why there is no answer; `null` with an answer, or if the page was being left. */
  failure: z.string().nullable(),
})

const answerSchema = z.object({
  method: z.string(),
  url: z.string(),
  status: z.number(),
  /** The answer has a body that a handler wrote; `null` if it could not be read. */
  hasOwnBody: z.boolean().nullable(),
  /** Trace of the request, if it had trace headers. */
  traceId: z.string().nullable(),
  /** ms since the epoch. */
  startedAt: z.number(),
})

const tracedSchema = z.object({
  method: z.string(),
  url: z.string(),
  traceId: z.string(),
  /** The span that the server's segment continues. */
  spanId: z.string(),
  /** ms since the epoch. */
  endedAt: z.number(),
})

const requestSchema = z.object({
  method: z.string(),
  url: z.string(),
  pageUrl: z.string(),
  isEmbedded: z.boolean(),
  document: z.string().nullable(),
  resourceType: z.string(),
  headers: z.record(z.string(), z.string()),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  answer: z
    .object({ status: z.number(), headers: z.record(z.string(), z.string()), fromCache: z.boolean() })
    .nullable(),
})

/** The `kind` of a line that a test reports to `waystation run`. */
export const BROWSER_OF_TEST = 'browser'

const observedSchema = z.object({
  kind: z.literal(BROWSER_OF_TEST),
  /** Title, file and line, for people: `shows the cart (cart.spec.ts:12)`. */
  test: z.string(),
  stamp: z.string(),
  /** The same for all attempts of a test. */
  testId: z.string(),
  /** 0, and 1 for the first retry. */
  attempt: z.number(),
  /** It ended as its file expects. */
  isOk: z.boolean(),
  /** Messages of failed assertions with the lines of the test, without terminal colours; empty unless it failed. */
  errors: z.array(z.string()),
  /** More requests than are observed were made, so the rest is unknown. */
  isCut: z.boolean(),
  documents: z.array(documentSchema),
  posts: z.array(postSchema),
  /** Answers of 500 and above. */
  failures: z.array(answerSchema),
  /** Sampled requests with trace headers that the app's servers answered. */
  traced: z.array(tracedSchema),
  requests: z.array(requestSchema),
  fallbacks: z.array(z.object({ pageUrl: z.string(), text: z.string() })),
})

/** The browser's side of one test, as its runner observed it. One line of a file in the folder of the run. */
export type ObservedTest = z.infer<typeof observedSchema>
export type SeenDocument = z.infer<typeof documentSchema>
export type SeenPost = z.infer<typeof postSchema>
export type ServerFailure = z.infer<typeof answerSchema>
export type TracedRequest = z.infer<typeof tracedSchema>

/** @returns the test, or why the line describes none */
export function readObservedTest(line: unknown): Result<ObservedTest, string> {
  const parsed = observedSchema.safeParse(line)
  if (parsed.success) return succeed(parsed.data)
  const [issue] = parsed.error.issues
  return fail(truncate(`${issue?.path.map(String).join('.')}: ${issue?.message}`))
}
