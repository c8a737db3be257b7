import { type AccessPolicy, refuseForm, refuseVisitor } from '../../lib/guard/access'
import { LAB_HEADER, STAMP_HEADER } from '../../lib/protocol/request'
import { isLab } from '../../lib/sdk/paths'
import type { TelemetrySettings } from '../../lib/sdk/settings'
import type { BodyBudget } from '../../lib/tunnel/body-budget'
import type { Tunnel } from '../../lib/tunnel/tunnel'
import { withSmallBody } from '../bodies'
import { feedbackEnvelope } from './feedback-envelope'
import { type Draft, readForm, readLink } from './feedback-fields'
import type { FeedbackLimiter } from './feedback-limiter'
import { formPage, resultPage } from './feedback-page'
import { FORM_TOO_LARGE, INVALID_TITLE, limited, NO_FORM, NOT_SENT, stored, unread, WAITING } from './feedback-texts'

/** A message of 4000 characters has at most 36 KB in a form, a page 2 KB. */
export const MAX_FORM_BYTES = 64 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'
const NO_LINK = { event: null, trace: null, digest: null, page: null }

export interface FeedbackOptions {
  readonly policy: AccessPolicy
  readonly settings: Pick<TelemetrySettings, 'dsn' | 'environment' | 'release'>
  /** The tunnel of the app, which stores the message in the lifeboat while the collector is down. */
  readonly send: Tunnel['send']
  readonly limiter: FeedbackLimiter
  readonly bodies: BodyBudget
  /** Epoch ms. */
  readonly now: () => number
  readonly newUuid: () => string
}

/** Answers `GET /feedback`: an empty form for the report that the address names. */
export function showFeedback(request: Request, policy: AccessPolicy): Response {
  const refusal = refuseVisitor(request.headers, policy)
  if (refusal !== null) return resultPage(refusal.status, unread(refusal.detail), NO_LINK)
  const { link, problems } = readLink(new URL(request.url).searchParams)
  return formPage(200, { draft: { ...link, message: '', email: '' }, problems, failure: null })
}

/**
 * Answers `POST /feedback/send`: guard, read the form, limit, send one envelope, and say what became of it.
 * 200 stored, 202 waiting in the lifeboat, 503 not sent, 422 invalid, 429 limited; the last three show the form with its text.
 * 403, 413, 415 and 408 are answered without the text, because it was not read.
 */
export async function receiveFeedback(request: Request, options: FeedbackOptions): Promise<Response> {
  const refusal = refuseForm(request.headers, options.policy)
  if (refusal !== null) return resultPage(refusal.status, unread(refusal.detail), NO_LINK)
  const type = request.headers.get('content-type') ?? ''
  if (type.split(';')[0]?.trim().toLowerCase() !== FORM_TYPE) return resultPage(415, unread(NO_FORM(type)), NO_LINK)
  return withSmallBody(request, MAX_FORM_BYTES, (bytes) => sendForm(request.headers, bytes, options), {
    budget: options.bodies,
    onFailure: ({ status, headers }) => {
      const detail = status === 413 ? FORM_TOO_LARGE(MAX_FORM_BYTES) : (headers['x-sentry-error'] ?? '')
      return resultPage(status, unread(detail), NO_LINK, headers)
    },
  })
}

async function sendForm(headers: Headers, bytes: Uint8Array, options: FeedbackOptions): Promise<Response> {
  const { draft, problems } = readForm(new URLSearchParams(Buffer.from(bytes).toString('utf8')))
  if (problems.length > 0) return formPage(422, { draft, problems, failure: { title: INVALID_TITLE, text: '' } })

  const waitMs = options.limiter.admit(clientOf(headers))
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000)
    return formPage(429, { draft, problems, failure: limited(seconds) }, { 'retry-after': String(seconds) })
  }

  const answer = await options.send(envelopeOf(headers, draft, options), headersFor(headers, draft))
  if (answer.statusCode !== 200) return formPage(503, { draft, problems, failure: NOT_SENT })
  // With it, the browser can see and delete the message.
  const { 'set-cookie': cookie } = answer.headers
  const own: HeadersInit = cookie ? { 'set-cookie': cookie } : {}
  return answer.isWaiting ? resultPage(202, WAITING, draft, own) : resultPage(200, stored(draft), draft, own)
}

/** The address that the nearest proxy, or Next without one, has seen. */
const clientOf = (headers: Headers): string => headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''

const envelopeOf = (headers: Headers, draft: Draft, { settings, now, newUuid }: FeedbackOptions): string =>
  feedbackEnvelope(draft, settings, {
    eventId: hexOf(newUuid()),
    spanId: hexOf(newUuid()).slice(0, 16),
    at: now(),
    origin: headers.get('origin') ?? `http://${headers.get('host') ?? 'localhost'}`,
    userAgent: headers.get('user-agent'),
  })

const hexOf = (uuid: string): string => uuid.replaceAll('-', '')

/**
 * The headers that identify a test or a client to the collector, and a page of its host to the tunnel. Without `origin` the
 * form would count as another app than the page it belongs to. The tunnel passes no cookie on.
 */
const PASSED_ON = [
  'user-agent',
  'cookie',
  'sec-gpc',
  'dnt',
  STAMP_HEADER,
  'x-forwarded-for',
  'origin',
  'host',
  'sec-fetch-site',
]

const headersFor = (received: Headers, { page }: Draft): Record<string, string> => ({
  ...Object.fromEntries(
    PASSED_ON.map((name) => [name, received.get(name)] as const).filter(
      (pair): pair is readonly [string, string] => pair[1] !== null,
    ),
  ),
  ...(page !== null && isLab(page) && { [LAB_HEADER]: '1' }),
})
