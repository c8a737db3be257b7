import { hex16, hex32 } from '../../lib/protocol/ids'

/** The item that a pasted text identifies. */
export type Pasted =
  /** A trace, with a span to select. */
  | { readonly kind: 'trace'; readonly traceId: string; readonly spanId: string | null }
  /** An id of 32 digits, which does not say what it identifies. */
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'envelope'; readonly number: string }
  | { readonly kind: 'dsn'; readonly project: string }

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/
const SENTRY_TRACE = /^([0-9a-f]{32})-([0-9a-f]{16})(?:-[01])?$/
const BAGGAGE = /(?:^|[,;\s])sentry-trace_id=([0-9a-f]{32})/
const PAIR = /^([0-9a-f]{32})\/([0-9a-f]{16})$/
const DSN = /^https?:\/\/[^@\s/]+@[^/\s]+\/(?:.*\/)?(\d+)$/

/**
 * Reads a pasted id, trace header, DSN or envelope number; `null` for any other text.
 * Headers may have their name before them: `sentry-trace: …`, `traceparent: …`, `baggage: …`.
 */
export function pastedItem(input: string): Pasted | null {
  const text = input
    .trim()
    .replace(/^(?:sentry-trace|traceparent|baggage)\s*:\s*/i, '')
    .replace(/^["']|["']$/g, '')
  const lower = text.toLowerCase()
  const [, trace, span] = TRACEPARENT.exec(lower) ?? SENTRY_TRACE.exec(lower) ?? PAIR.exec(lower) ?? []
  const traceId = hex32(trace ?? BAGGAGE.exec(lower)?.[1])
  if (traceId !== null) return { kind: 'trace', traceId, spanId: hex16(span ?? null) }
  const id = hex32(lower)
  if (id !== null) return { kind: 'id', id }
  const project = DSN.exec(text)?.[1]
  if (project !== undefined) return { kind: 'dsn', project }
  return /^#[1-9]\d{0,14}$/.test(text) ? { kind: 'envelope', number: text.slice(1) } : null
}
