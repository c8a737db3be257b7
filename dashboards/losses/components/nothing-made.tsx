import empty from '../../shared/empty-list.module.css'
import { printable } from '../../words/printable'

interface NothingMadeProps {
  readonly stamp: string | null
}

/** Empty books teach what would be in them. */
export function NothingMade({ stamp }: NothingMadeProps) {
  return (
    <div className={empty.none} data-nothing-made>
      <h2>{stamp === null ? 'The books are empty' : 'Nothing came with this stamp'}</h2>
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
        <p>
          Asked for is <code>{printable(stamp)}</code>. A stamp ties what a test or a build sends together: it comes by
          the header <code>X-Waystation-Stamp</code>, or by the cookie <code>waystation-stamp</code> of a page. Books of
          stamps that were not seen for long make room for newer ones.
        </p>
      )}
      <p className="faint">This page fills by itself; there is nothing to reload.</p>
    </div>
  )
}
