import { Empty } from '../ui/board'

/** An empty list teaches how to fill it. */
export function NoTraces() {
  return (
    <Empty title="No trace yet" what="list">
      <p>A browser sends its page load about two seconds after it began. Two ways to the first one:</p>
      <ol>
        <li>
          <a href="/lab">Open the lab</a> and press any button: it causes telemetry and links to the trace it became.
        </li>
        <li>
          Point your own program here: take the local DSN from the <a href="/">home page</a> and put it where your SDK
          has its DSN.
        </li>
      </ol>
    </Empty>
  )
}
