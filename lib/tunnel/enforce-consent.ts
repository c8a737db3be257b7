import { allowsItem, type Consent } from '../protocol/consent'
import { parseEnvelope } from '../protocol/envelope'
import { fail, type Result, succeed } from '../protocol/result'
import { SIZE_LIMITS } from '../protocol/size-limits'
import { type BodyBlocks, problem, type TunnelAnswer } from './post'

/** The answer to a body of which nothing may go on. The page must not repeat it. */
const NOTHING_SENT: TunnelAnswer = {
  status: 200,
  headers: { 'x-waystation-note': 'nothing was passed on: the consent of the visitor forbids it' },
  body: '{}',
}

/**
 * A second gate after the page's own: pages that are still open may not know of a change yet.
 * @param spans true for a request of OpenTelemetry, false for an envelope
 * @returns the body that may go on, or the answer when nothing of it may
 */
export function enforceConsent(
  consent: Consent,
  body: BodyBlocks,
  contentEncoding: string | null,
  spans: boolean,
): Result<BodyBlocks, TunnelAnswer> {
  if (consent === 'all' || consent === 'kept') return succeed(body)
  if (consent === 'off' || spans) return fail(NOTHING_SENT)
  if (contentEncoding !== null && contentEncoding !== 'identity')
    return fail(
      problem(415, `with the consent "errors", pages must send envelopes as they are, got ${contentEncoding}`),
    )
  const bytes = Buffer.concat(body.blocks)
  const envelope = parseEnvelope(bytes, SIZE_LIMITS)
  if (!envelope.ok) return fail(problem(400, envelope.error.message))
  const { headerEnd, items } = envelope.value
  const allowed = items.filter(({ header }) => allowsItem(consent, header.type))
  if (allowed.length === items.length) return succeed(body)
  if (allowed.length === 0) return fail(NOTHING_SENT)
  const newline = Uint8Array.of(0x0a)
  const blocks = [
    bytes.subarray(0, headerEnd),
    ...allowed.flatMap(({ start, payloadEnd }) => [newline, bytes.subarray(start, payloadEnd)]),
  ]
  return succeed({ blocks, byteLength: blocks.reduce((sum, { byteLength }) => sum + byteLength, 0) })
}
