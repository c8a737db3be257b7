import { CollectorError } from '../../lib/wire/errors'
import { queryClient } from '../../lib/wire/query-client'
import { COLLECTOR_BASE } from './standalone'

/** Queries the collector through the page's origin. */
export const client = queryClient(COLLECTOR_BASE, (...args) => fetch(...args), {}, null)

export type Failure =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  | { readonly kind: 'unreadable'; readonly detail: string }

/** Classifies the error of a read; `null` for an aborted one. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof Error && error.name === 'AbortError') return null
  if (error instanceof CollectorError) {
    // The app's proxy answers 502 to 504 when the collector does not answer.
    if (error.status === null || (error.status >= 502 && error.status <= 504)) return { kind: 'unreachable' }
    return { kind: 'refused', status: error.status, detail: error.message }
  }
  return { kind: 'unreadable', detail: error instanceof Error ? error.message : String(error) }
}
