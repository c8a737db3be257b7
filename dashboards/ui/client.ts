import { plural } from '../../lib/format'
import { type Behind, CollectorError } from '../../lib/wire/errors'
import { queryClient } from '../../lib/wire/query-client'
import { asSentence } from '../../lib/wire/status-text'
import { COLLECTOR_BASE } from './standalone'

/** Queries the collector through the page's origin. */
export const client = queryClient(COLLECTOR_BASE, (...args) => fetch(...args), {}, null)

export type Failure =
  | { readonly kind: 'unreachable' }
  /** The collector answers, but its copy of a shared record is not complete, or PostgreSQL is away. */
  | { readonly kind: 'behind'; readonly missing: number | null; readonly detail: string }
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  | { readonly kind: 'unreadable'; readonly detail: string }

/** Classifies the error of a read; `null` for an aborted one. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof Error && error.name === 'AbortError') return null
  if (error instanceof CollectorError) {
    if (error.behind !== null)
      return { kind: 'behind', ...error.behind, detail: behindText(error.behind, error.message) }
    // The app's proxy answers 502 to 504 when the collector does not answer.
    if (error.status === null || (error.status >= 502 && error.status <= 504)) return { kind: 'unreachable' }
    return { kind: 'refused', status: error.status, detail: error.message }
  }
  return { kind: 'unreadable', detail: error instanceof Error ? error.message : String(error) }
}

/** Why there is no answer yet. @param detail the collector's own words, which name the server that is away */
const behindText = ({ missing }: Behind, detail: string): string =>
  missing === null
    ? asSentence(detail)
    : `This collector is still copying from PostgreSQL: ${plural(missing, 'fact')} behind.`
