import { Empty } from '../ui/board'
import { AskedStamp } from '../ui/stamp'

interface NothingMadeProps {
  readonly stamp: string | null
}

/** Empty books teach what would be in them. */
export function NothingMade({ stamp }: NothingMadeProps) {
  return (
    <Empty title={stamp === null ? 'The books are empty' : 'Nothing came with this stamp'} what="page">
      <p>
        Here each thing that an SDK made is accounted for, per data category: what upstream accepted, what is still
        pending, and what was lost, by whom and why. The SDK tells what it discarded itself in its client reports.
      </p>
      {stamp === null ? (
        <ol>
          <li>
            <a href="/lab">Open the lab</a>: loading the page already sends a few things.
          </li>
          <li>
            Or give your own program the local DSN from the <a href="/">home page</a>.
          </li>
        </ol>
      ) : (
        <AskedStamp stamp={stamp}> Books of stamps that were not seen for long make room for newer ones.</AskedStamp>
      )}
    </Empty>
  )
}
