import { suppressTracing } from '@sentry/nextjs'
import { sessionHeader, sessionOf } from '../lib/guard/token'

/** An ended session opens pages of the app for at most this long; their queries are refused at once. */
const TRUSTED_MS = 5000
const MOST_TRUSTED = 100
const TIMEOUT_MS = 3000

/** When the collector last confirmed a session, by its id. */
const confirmed = new Map<string, number>()

/** Asks the collector whether the session of a request is open. @returns `null` when the collector does not answer */
export async function isSignedIn(headers: Headers, collectorUrl: string): Promise<boolean | null> {
  const id = sessionOf(headers)
  if (id === null) return false
  const now = performance.now()
  if (now - (confirmed.get(id) ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS) return true
  const asked = { headers: sessionHeader(headers), cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) } as const
  try {
    const { status } = await suppressTracing(() => fetch(`${collectorUrl}/control/access`, asked))
    if (status !== 204) return status >= 500 ? null : false
  } catch {
    return null
  }
  confirmed.delete(id)
  for (const oldest of confirmed.keys()) if (confirmed.size >= MOST_TRUSTED) confirmed.delete(oldest)
  confirmed.set(id, now)
  return true
}
