import { CollectorError, collectorClient } from '../../lib/wire/collector-client'

/** The collector, asked by the app's own origin. */
export const client = collectorClient('/collector', (...args) => fetch(...args))

/** Why nothing newer can be shown. */
export type Failure =
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  | { readonly kind: 'unreadable'; readonly detail: string }

/** What a failed read means for the reader. An aborted one means nothing: `null`. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof Error && error.name === 'AbortError') return null
  if (error instanceof CollectorError) {
    // The app's pass-through answers 502 to 504 for a collector that does not answer.
    if (error.status === null || (error.status >= 502 && error.status <= 504)) return { kind: 'unreachable' }
    return { kind: 'refused', status: error.status, detail: error.message }
  }
  return { kind: 'unreadable', detail: error instanceof Error ? error.message : String(error) }
}
