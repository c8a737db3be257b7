import { Component, type ReactNode } from 'react'
import { Shell } from '../shell/shell'
import { useShownPage } from './shown-page'

/** A whole page, as the collector serves it without Next. Links between boards change the board. */
export function Site() {
  const page = useShownPage()
  return (
    <Shell>
      {page !== null && (
        <ErrorBoundary key={page.pathname}>
          {page.board === null ? <NotFound /> : page.board(page.parameter)}
        </ErrorBoundary>
      )}
    </Shell>
  )
}

function NotFound() {
  return (
    <div className="page stack">
      <h1>This page does not exist</h1>
      <p className="soft">
        The address of an envelope is <code>/envelopes/</code> and its number. The address of a trace is{' '}
        <code>/traces/</code>, that of an error <code>/events/</code>, and 32 hexadecimal digits.
      </p>
      <p className="row">
        <a className="button" href="/">
          Live
        </a>
        <a className="button" href="/traces">
          Traces
        </a>
      </p>
    </div>
  )
}

/** Replaces a board that fails. The header stays, so that the other boards can be reached. */
class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null }

  static getDerivedStateFromError(error: unknown): { readonly error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <div className="page stack" role="alert">
        <h1>This board failed</h1>
        <p>
          <code>{error.message}</code>
        </p>
        <p className="soft">The recorded telemetry is not affected. Reload the page, or open another board.</p>
        <p className="row">
          <button className="button primary" type="button" onClick={() => window.location.reload()}>
            Reload
          </button>
        </p>
      </div>
    )
  }
}
