import { Empty } from '../ui/board'

/** An empty list teaches how to fill it. */
export function NoEvents() {
  return (
    <Empty title="No error yet" what="list">
      <p>
        Every error event is listed here, whether or not it belongs to a trace, with its stack and breadcrumbs one step
        away. Two ways to the first one:
      </p>
      <ol>
        <li>
          <a href="/lab">Open the lab</a> and press one of the errors: it links to the event it became.
        </li>
        <li>
          Give your own program the local DSN from the <a href="/">home page</a> and call{' '}
          <code>Sentry.captureException(new Error('hello'))</code>.
        </li>
      </ol>
    </Empty>
  )
}
