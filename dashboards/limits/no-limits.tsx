import { Empty } from '../ui/board'

/** Nothing was ever limited: what this page is for, and how to see it at work. */
export function NoLimits() {
  return (
    <Empty title="No limit yet" what="page">
      <p>
        An upstream that has had enough of a category says so with its answer. From then on Waystation cuts that
        category out of what it posts, counts what it cut, and tells each SDK with its next answer. Here is which
        category it is, by whom, why and until when, and whether each page obeyed. To see one:
      </p>
      <ol>
        <li>
          Start with <code>WAYSTATION_UPSTREAM=stand-in</code>: the collector plays upstream itself.
        </li>
        <li>
          On <a href="/stand-in">its board</a> limit <code>transaction</code> for some seconds.
        </li>
        <li>
          Press a few things in <a href="/lab">the lab</a>. The first transaction is refused and tells the limit; those
          behind it are cut; and the page stops sending them once it was told.
        </li>
      </ol>
    </Empty>
  )
}
