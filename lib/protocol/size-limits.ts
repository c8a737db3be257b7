const KiB = 1024
const MiB = 1024 * KiB

/**
 * Sizes are bytes. A body over an intake limit is refused with 413. A payload over a parsing limit (`depth`, `tags`) is
 * stored, relayed and shown raw, but not parsed.
 */
export interface SizeLimits {
  /** A body as transferred. */
  readonly wire: number
  /** A body after content decoding; enforced while it streams. */
  readonly decoded: number
  /** All bodies over 64 KiB that are being received at one time, together. */
  readonly in_flight: number
  readonly header_line: number
  readonly items: number
  /** An event, transaction or feedback, and the body of `/store/` and `/security/`. */
  readonly event: number
  /** A container of spans, logs or metrics, and a request of OpenTelemetry. */
  readonly container: number
  readonly session: number
  readonly replay: number
  readonly profile: number
  readonly check_in: number
  readonly client_report: number
  /** An attachment, and every type without a separate limit. */
  readonly attachment: number
  readonly depth: number
  readonly tags: number
}

export const SIZE_LIMITS: SizeLimits = {
  wire: 20 * MiB,
  decoded: 100 * MiB,
  in_flight: 128 * MiB,
  header_line: 8 * KiB,
  items: 100,
  event: MiB,
  container: 10 * MiB,
  session: 10 * MiB,
  replay: 10 * MiB,
  profile: 50 * MiB,
  check_in: 100 * KiB,
  client_report: 100 * KiB,
  attachment: 100 * MiB,
  depth: 32,
  tags: 100,
}

/** Limits that are counts; the others are bytes. */
export const COUNTS: ReadonlySet<keyof SizeLimits> = new Set(['items', 'depth', 'tags'])

/** Returns the name of the limit for payloads of this item type. */
export function limitOf(type: string): keyof SizeLimits {
  return (Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined) ?? 'attachment'
}

const BY_TYPE: Readonly<Record<string, keyof SizeLimits>> = {
  event: 'event',
  transaction: 'event',
  feedback: 'event',
  user_report: 'event',
  raw_security: 'event',
  security: 'event',
  nel: 'event',
  span: 'container',
  log: 'container',
  trace_metric: 'container',
  otlp_traces: 'container',
  otlp_logs: 'container',
  otlp_metrics: 'container',
  session: 'session',
  sessions: 'session',
  replay_event: 'replay',
  replay_recording: 'replay',
  replay_video: 'replay',
  profile: 'profile',
  profile_chunk: 'profile',
  profile_chunk_ui: 'profile',
  check_in: 'check_in',
  client_report: 'client_report',
}
