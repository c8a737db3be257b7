import styles from '../../shared/empty-list.module.css'

/** An empty list teaches how to fill it. */
export function NoEnvelopes() {
  return (
    <div className={styles.none}>
      <h2>No envelope yet</h2>
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
      <p className="faint">This list fills by itself; there is nothing to reload.</p>
    </div>
  )
}
