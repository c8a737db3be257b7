import { Component, type ReactNode } from 'react'
import { type BoardPath, pageAt } from '../../lib/wire/pages'
import { ContractBoard } from '../contract/contract-board'
import { DeliveriesBoard } from '../deliveries/deliveries-board'
import { EnvelopeBoard } from '../envelopes/envelope-board'
import { EnvelopesBoard } from '../envelopes/envelopes-board'
import { EventBoard } from '../events/event-board'
import { EventsBoard } from '../events/events-board'
import { HomeBoard } from '../home/home-board'
import { LimitsBoard } from '../limits/limits-board'
import { LossesBoard } from '../losses/losses-board'
import { RunsBoard } from '../runs/runs-board'
import { Shell } from '../shell/shell'
import { LogsBoard, MetricsBoard } from '../signals/signals-board'
import { StandInBoard } from '../stand-in/stand-in-board'
import { StorageBoard } from '../storage/storage-board'
import { TraceBoard } from '../traces/trace-board'
import { TracesBoard } from '../traces/traces-board'

/** The board of each page. @param parameter the id or number in the path */
const BOARDS: Readonly<Record<BoardPath, (parameter: string) => ReactNode>> = {
  '/': () => <HomeBoard />,
  '/traces': () => <TracesBoard />,
  '/traces/:id': (id) => <TraceBoard traceId={id} />,
  '/errors': () => <EventsBoard />,
  '/errors/:id': (id) => <EventBoard eventId={id} />,
  '/events': () => <EventsBoard />,
  '/events/:id': (id) => <EventBoard eventId={id} />,
  '/logs': () => <LogsBoard />,
  '/metrics': () => <MetricsBoard />,
  '/envelopes': () => <EnvelopesBoard />,
  '/envelopes/:id': (number) => <EnvelopeBoard number={number} />,
  '/deliveries': () => <DeliveriesBoard />,
  '/losses': () => <LossesBoard />,
  '/limits': () => <LimitsBoard />,
  '/contract': () => <ContractBoard />,
  '/runs': () => <RunsBoard />,
  '/storage': () => <StorageBoard />,
  '/stand-in': () => <StandInBoard />,
}

/** A whole page, as the collector serves it without Next. Links load the next page. */
export function Site({ pathname }: { readonly pathname: string }) {
  const page = pageAt(pathname)
  return (
    <Shell pathname={pathname}>
      <ErrorBoundary>{page === null ? <NotFound /> : BOARDS[page.path](page.parameter)}</ErrorBoundary>
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
