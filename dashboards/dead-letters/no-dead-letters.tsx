import styles from '../ui/empty-list.module.css'

/** An empty list teaches what would be in it. */
export function NoDeadLetters() {
  return (
    <div className={styles.none} data-no-dead-letters>
      <h2>No dead letter</h2>
      <p>
        An envelope becomes one when upstream answers 400 or 413, or a 5xx that promises nothing: the same bytes would
        be refused again, so they are not posted again by themselves. Nothing is lost by it until a person drops it.
      </p>
      <ul>
        <li>What upstream limits (429) is no dead letter: that is final, and counted by upstream.</li>
        <li>
          What cannot be delivered just now (no answer, 408, 502 to 504, a proxy’s 520 to 530) is posted again by
          itself.
        </li>
        <li>Where upstream refuses the DSN (401, 403, 404) all of its envelopes wait until that is mended.</li>
      </ul>
      <p className="faint">What is refused appears here by itself.</p>
    </div>
  )
}
