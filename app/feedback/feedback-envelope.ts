import { LAB_TAG } from '../../lib/contract/values'
import { isLab } from '../../lib/sdk/paths'
import type { TelemetrySettings } from '../../lib/sdk/settings'
import type { Draft } from './feedback-fields'

const SDK = { name: 'waystation.feedback', version: '1' }

/** Facts of the post that are not in the form. */
export interface PostFacts {
  /** 32 hex digits. */
  readonly eventId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** Epoch ms. */
  readonly at: number
  /** The origin of the app, such as `https://shop.example`. */
  readonly origin: string
  readonly userAgent: string | null
}

/**
 * Builds an envelope with one `feedback` item, as `Sentry.captureFeedback` does. `associated_event_id` joins it to the
 * event of the browser, the trace also to that of the server, and the tag `digest` to both when neither is known.
 */
export function feedbackEnvelope(
  { message, email, event, trace, digest, page }: Draft,
  { dsn, environment, release }: Pick<TelemetrySettings, 'dsn' | 'environment' | 'release'>,
  { eventId, spanId, at, origin, userAgent }: PostFacts,
): string {
  const url = `${origin}${page ?? '/'}`
  const tags = { ...(digest !== null && { digest }), ...(page !== null && isLab(page) && { [LAB_TAG]: 'yes' }) }
  const payload = {
    event_id: eventId,
    type: 'feedback',
    timestamp: at / 1000,
    level: 'info',
    platform: 'javascript',
    environment,
    ...(release !== null && { release }),
    sdk: SDK,
    contexts: {
      ...(trace !== null && { trace: { trace_id: trace, span_id: spanId } }),
      feedback: {
        message,
        ...(email !== '' && { contact_email: email }),
        url,
        source: 'error-page',
        ...(event !== null && { associated_event_id: event }),
      },
    },
    tags,
    request: { url, ...(userAgent !== null && { headers: { 'User-Agent': userAgent } }) },
  }
  const header = { event_id: eventId, sent_at: new Date(at).toISOString(), sdk: SDK, dsn }
  return `${JSON.stringify(header)}\n{"type":"feedback"}\n${JSON.stringify(payload)}\n`
}
