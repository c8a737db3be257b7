import type { Refusal } from './refusal'

/** What browsers call their reports, as Relay takes them. */
const REPORT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/csp-report',
  'application/expect-ct-report',
  'application/expect-ct-report+json',
  'application/expect-staple-report',
  'application/reports+json',
])

/** An envelope may come to the endpoint of bare events; only its content type tells. */
export const isEnvelopeType = (header: string | undefined): boolean =>
  mediaType(header) === 'application/x-sentry-envelope'

/** `null` when it is the type of a report; else why it is not taken. */
export function judgeReportType(header: string | undefined): Refusal | null {
  if (REPORT_TYPES.has(mediaType(header))) return null
  return {
    status: 415,
    reason: 'content_type',
    detail: `the Content-Type is not that of a report: meant is one of ${[...REPORT_TYPES].join(', ')}`,
  }
}

const mediaType = (header: string | undefined): string => (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
