import { Empty } from '../ui/board'
import { AskedStamp } from '../ui/stamp'

/** Nothing is recorded: what would be judged here, and how to make something arrive. */
export function NothingToJudge({ stamp }: { readonly stamp: string | null }) {
  return (
    <Empty title={stamp === null ? 'Nothing is recorded yet' : 'Nothing came with this stamp'} what="page">
      <p>
        Here each setting of the runtime contract is compared with what really arrived: its value, where it is set, and
        whether the telemetry on record keeps to it. What does not is named, with what was seen, what was wanted, and
        the item it is in. Until something is recorded no setting passes: nothing measured is never green.
      </p>
      {stamp === null ? (
        <ol>
          <li>
            <a href="/lab">Open the lab</a>: loading the page already sends a few things, and each button causes one
            more.
          </li>
          <li>
            Or give your own program the local DSN from the <a href="/">home page</a>.
          </li>
          <li>
            In CI <code>waystation run -- CMD</code> records what a command sends, and judges it by the same rules.
          </li>
        </ol>
      ) : (
        <AskedStamp stamp={stamp} />
      )}
    </Empty>
  )
}
