export interface FoundAt {
  readonly seq: number
  /** −1 for the envelope header. */
  readonly item: number
  readonly traceId?: string | null
  readonly eventId?: string | null
  readonly spanId?: string | null
}

export interface Finding {
  /** A label for the subject: `pageload /checkout`, `TypeError: x is not a function`. */
  readonly about: string
  /** `null` if it is not in the recorded telemetry, such as a browser request. */
  readonly at: FoundAt | null
  /** Path in the payload, such as `exception.values.0.value`; empty for the whole payload. */
  readonly path: string
  /** The value that was read. For a secret it names the scrubbing rule, never the value. */
  readonly actual: string
  readonly expected: string
  /** Title, file and line of the test that caused it; `null` or left out if no test did. */
  readonly test?: string | null
  /** Set if it is too small to fail a check: a check with such findings only is a warning, unless the plan says `error`. */
  readonly isMinor?: true
  /** The line of application code that caused it, as named in the stack trace. */
  readonly frame?: SourceLine | null
}

/** A finding about something that is not in the recorded telemetry. @param test as in `Finding` */
export const finding = (about: string, actual: string, expected: string, test?: string): Finding => ({
  about,
  at: null,
  path: '',
  actual,
  expected,
  ...(test !== undefined && { test }),
})

export interface SourceLine {
  readonly file: string
  /** Starts at 1. */
  readonly line: number
}

/** `incomplete`: no relevant telemetry was recorded, or parts are missing. A check without data never passes. */
export type Verdict =
  /** `judged` counts the checked items and is never 0. */
  | { readonly verdict: 'pass'; readonly judged: number }
  /** `findings` has the first 10,000; `found` counts all. */
  | { readonly verdict: 'fail'; readonly judged: number; readonly found: number; readonly findings: readonly Finding[] }
  | { readonly verdict: 'incomplete'; readonly why: string }

export const hasOnlyMinorFindings = (verdict: Verdict): boolean =>
  verdict.verdict === 'fail' && verdict.findings.length > 0 && verdict.findings.every(({ isMinor }) => isMinor === true)

const MAX_REPORTED_FINDINGS = 50
/** More than are reported: allowlist and baseline remove some before. */
export const MAX_KEPT_FINDINGS = 10_000

/** @param nothing the reason for `incomplete` if `judged` is 0. */
export function verdictOf(judged: number, findings: readonly Finding[], nothing: string): Verdict {
  if (findings.length > 0)
    return { verdict: 'fail', judged, found: findings.length, findings: findings.slice(0, MAX_KEPT_FINDINGS) }
  return judged === 0 ? { verdict: 'incomplete', why: nothing } : { verdict: 'pass', judged }
}

export const truncateFindings = <Given extends Verdict>(verdict: Given): Given =>
  verdict.verdict === 'fail' ? { ...verdict, findings: verdict.findings.slice(0, MAX_REPORTED_FINDINGS) } : verdict

/** A negated matcher swaps `pass` and `fail`; `incomplete` fails in both cases. */
export interface ExpectationResult {
  readonly verdict: Verdict
  /** Printed if the expectation fails or is incomplete. Has several lines and is safe to print. */
  readonly message: string
  readonly negatedMessage: string
}

/** The address of the boards: `http://localhost:3000`; `null` means no links. */
export interface Boards {
  readonly appUrl: string | null
}

export const NO_BOARDS: Boards = { appUrl: null }

/** The path of the board that shows it: the event, else the trace with the span, else the envelope. */
export function boardPath({ seq, eventId, traceId, spanId }: FoundAt): string {
  if (eventId) return `/events/${encodeURIComponent(eventId)}`
  if (!traceId) return `/envelopes/${seq}`
  const trace = `/traces/${encodeURIComponent(traceId)}`
  return spanId ? `${trace}?span=${encodeURIComponent(spanId)}` : trace
}

export const boardLink = (at: FoundAt | null, { appUrl }: Boards): string | null =>
  at === null || appUrl === null ? null : `${appUrl.replace(/\/+$/, '')}${boardPath(at)}`

export const positionText = ({ seq, item }: FoundAt): string =>
  item < 0 ? `header of envelope ${seq}` : `envelope ${seq}, item ${item}`
