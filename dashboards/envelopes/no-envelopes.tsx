import { Empty } from '../ui/board'

/** An empty list teaches how to fill it. */
export function NoEnvelopes() {
  return (
    <Empty title="No envelope yet" what="list">
      <p>
        Everything an SDK sends comes in envelopes; each one is shown here whole, byte for byte, with what became of it.
      </p>
      <ol>
        <li>
          <a href="/lab">Open the lab</a>: loading the page already sends a few.
        </li>
        <li>
          Or give your own program the local DSN from the <a href="/">home page</a>.
        </li>
      </ol>
    </Empty>
  )
}
