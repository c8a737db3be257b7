'use client'

import { useEffect, useState } from 'react'
import { CLIENT_FALLBACK, COLLECTOR_PATH, SERVER_FALLBACK } from '../lib/contract/values'
import { type CapturedFallback, captureFallback } from '../lib/sdk/browser'
import { FEEDBACK_PATH } from '../lib/sdk/paths'
import { VisitorPage } from './visitor-page'

export interface ErrorFallbackProps {
  readonly error: Error & { readonly digest?: string }
  readonly retry: () => void
}

/** Shows a generic text and nothing of the error itself, which may contain data that the reader must not see. */
export function ErrorFallback({ error, retry }: ErrorFallbackProps) {
  const { digest } = error
  const [captured, setCaptured] = useState<CapturedFallback | null>(null)
  const [isReader, setReader] = useState(false)
  useEffect(() => {
    let shown = true
    void captureFallback(error).then((report) => shown && setCaptured(report))
    void mayReadBoards().then((may) => shown && setReader(may))
    return () => {
      shown = false
    }
  }, [error])
  return (
    <VisitorPage testId="error-fallback">
      <div className="stack" role="alert">
        <h1>{digest === undefined ? CLIENT_FALLBACK : SERVER_FALLBACK}</h1>
        {digest !== undefined && <p data-testid="digest">Digest: {digest}</p>}
        {captured !== null && (
          <p>
            Report ID: <code data-testid="event-id">{captured.eventId}</code>
          </p>
        )}
      </div>
      <p className="row">
        <button className="button primary" type="button" onClick={retry}>
          Try again
        </button>
        <FeedbackLink digest={digest} captured={captured} />
        <a className="button" href="/">
          Go home
        </a>
      </p>
      {captured !== null && isReader && (
        <p className="soft small">
          For developers: <a href={`/events/${captured.eventId}`}>the recorded event</a> and{' '}
          <a href={`/traces/${captured.traceId}`} data-testid="trace-link">
            its trace
          </a>
        </p>
      )}
    </VisitorPage>
  )
}

interface FeedbackLinkProps {
  readonly digest: string | undefined
  /** `null` until the SDK has started; the message is then joined by the digest alone. */
  readonly captured: CapturedFallback | null
}

/** The form is a page of its own: it works when the scripts of this page do not. */
function FeedbackLink({ digest, captured }: FeedbackLinkProps) {
  const [page, setPage] = useState('')
  useEffect(() => setPage(window.location.pathname), [])
  const report = { event: captured?.eventId, trace: captured?.traceId, digest, page }
  const known = Object.entries(report).filter((part): part is [string, string] => Boolean(part[1]))
  return (
    <a className="button" href={`${FEEDBACK_PATH}?${new URLSearchParams(known)}`}>
      Tell us what you were doing
    </a>
  )
}

/** True for those who may open the boards. When the collector does not answer, the boards would not open either. */
const mayReadBoards = (): Promise<boolean> =>
  fetch(`${COLLECTOR_PATH}/control/access`, { cache: 'no-store' }).then(
    ({ status }) => status === 204,
    () => false,
  )
