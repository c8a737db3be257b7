'use client'

import { useEffect, useState } from 'react'
import { CLIENT_FALLBACK, SERVER_FALLBACK } from '../lib/contract/values'
import { type CapturedFallback, captureFallback } from '../lib/sdk/browser'

export interface ErrorFallbackProps {
  readonly error: Error & { readonly digest?: string }
  readonly retry: () => void
}

/** Shows a generic text and nothing of the error itself, which may contain data that the reader must not see. */
export function ErrorFallback({ error, retry }: ErrorFallbackProps) {
  const [captured, setCaptured] = useState<CapturedFallback | null>(null)
  useEffect(() => {
    let shown = true
    void captureFallback(error).then((what) => shown && setCaptured(what))
    return () => {
      shown = false
    }
  }, [error])
  return (
    <div className="page stack" role="alert" data-testid="error-fallback">
      <h1>{error.digest === undefined ? CLIENT_FALLBACK : SERVER_FALLBACK}</h1>
      {error.digest !== undefined && <p data-testid="digest">Digest: {error.digest}</p>}
      <p className="row">
        <button className="button primary" type="button" onClick={retry}>
          Try again
        </button>
        <a className="button" href="/">
          Home
        </a>
      </p>
      {captured !== null && (
        <p className="soft small">
          Recorded as event{' '}
          <a href={`/events/${captured.eventId}`}>
            <code data-testid="event-id">{captured.eventId}</code>
          </a>
          .{' '}
          <a href={`/traces/${captured.traceId}`} data-testid="trace-link">
            Open its trace
          </a>
        </p>
      )}
    </div>
  )
}
