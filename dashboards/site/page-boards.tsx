import type { ReactNode } from 'react'
import type { BoardPath } from '../../lib/wire/pages'

/** Renders the board of a page. The parameter is the id or number in its path. */
export interface Board {
  (parameter: string): ReactNode
  /** Begins to read what the board shows first. Resolves when that is there, or failed. */
  readonly prepare?: (parameter: string) => Promise<void>
}

/** Loads the board of each page from a chunk of its own. `BOARD_MODULES` names the same modules for the collector. */
export const PAGE_BOARDS: Readonly<Record<BoardPath, () => Promise<Board>>> = {
  '/': () =>
    import('../home/home-board').then(({ HomeBoard, readAhead }) =>
      Object.assign(() => <HomeBoard />, { prepare: readAhead }),
    ),
  '/traces': () =>
    import('../traces/traces-board').then(({ TracesBoard }) => () => <TracesBoard />),
  '/traces/:id': () =>
    import('../traces/trace-board').then(({ TraceBoard, readAhead }) =>
      Object.assign((id: string) => <TraceBoard traceId={id} />, {
        prepare: (id: string) => readAhead(id),
      }),
    ),
  '/errors': () =>
    import('../errors/errors-board').then(({ ErrorsBoard }) => () => <ErrorsBoard />),
  '/errors/:id': () =>
    import('../errors/error-board').then(({ ErrorGroupBoard }) => (id) => <ErrorGroupBoard hash={id} />),
  '/events': () =>
    import('../events/events-board').then(({ EventsBoard }) => () => <EventsBoard />),
  '/events/:id': () =>
    import('../errors/error-board').then(({ EventBoard }) => (id) => <EventBoard eventId={id} />),
  '/logs': () =>
    import('../signals/signals-board').then(({ LogsBoard }) => () => <LogsBoard />),
  '/vitals': () =>
    import('../signals/signals-board').then(({ MetricsBoard }) => () => <MetricsBoard />),
  '/envelopes': () =>
    import('../envelopes/envelopes-board').then(({ EnvelopesBoard }) => () => <EnvelopesBoard />),
  '/envelopes/:id': () =>
    import('../envelopes/envelope-board').then(({ EnvelopeBoard }) => (number) => <EnvelopeBoard number={number} />),
  '/deliveries': () =>
    import('../deliveries/deliveries-board').then(({ DeliveriesBoard }) => () => <DeliveriesBoard />),
  '/losses': () =>
    import('../losses/losses-board').then(({ LossesBoard }) => () => <LossesBoard />),
  '/limits': () =>
    import('../limits/limits-board').then(({ LimitsBoard }) => () => <LimitsBoard />),
  '/contract': () =>
    import('../contract/contract-board').then(({ ContractBoard }) => () => <ContractBoard />),
  '/runs': () =>
    import('../runs/runs-board').then(({ RunsBoard }) => () => <RunsBoard />),
  '/storage': () =>
    import('../storage/storage-board').then(({ StorageBoard }) => () => <StorageBoard />),
  '/stand-in': () =>
    import('../stand-in/stand-in-board').then(({ StandInBoard }) => () => <StandInBoard />),
}
