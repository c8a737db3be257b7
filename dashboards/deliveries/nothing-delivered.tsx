import { Empty } from '../ui/board'

/** An empty list teaches how to fill it. */
export function NothingDelivered({ what }: { readonly what: 'envelope' | 'attempt' }) {
  return (
    <Empty title={what === 'envelope' ? 'No envelope yet' : 'No attempt to deliver yet'} what="list">
      <p>
        {what === 'envelope'
          ? 'Each envelope that arrives is stored, digested and, where an upstream is set, posted to it until that is decided. Here is how far each one is.'
          : 'Each post of an envelope to its upstream is one line here: when, to whom, what it answered and how long that took.'}
      </p>
      <ol>
        <li>
          <a href="/lab">Open the lab</a>: loading the page already sends a few envelopes.
        </li>
        <li>
          Without an upstream everything is kept and nothing is posted. Set <code>WAYSTATION_UPSTREAM</code> to your
          project’s DSN, or to <code>stand-in</code> to try it without one.
        </li>
      </ol>
    </Empty>
  )
}
