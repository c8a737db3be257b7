import { formatCount, plural } from '../../lib/format'
import type { Losses } from '../../lib/wire/losses'
import { printable } from '../ui/printable'
import styles from './account.module.css'
import { accountOf, asHeadline, sinceWords, unexplainedIn } from './account-lines'

/** The account in numbers, and in the sentence that the API gives to logs and CI. */
export function Account({ losses }: { readonly losses: Losses }) {
  const unexplained = unexplainedIn(losses.categories)
  return (
    <section className={styles.account} aria-labelledby="account">
      <h2 id="account" className="visually-hidden">
        The account
      </h2>
      {unexplained !== 0 && (
        <p className="banner bad" role="alert" data-unexplained={unexplained}>
          <strong>✕ {plural(unexplained, 'thing')} unexplained:</strong> received, and neither pending nor settled. The
          books are wrong by so much: please report it.
        </p>
      )}
      <dl className={styles.line}>
        {accountOf(losses).map(({ amount, quantity, sign }) => (
          <div
            key={amount}
            data-amount={amount}
            data-bad={amount === 'unexplained' || (amount === 'lost' && quantity > 0)}
          >
            {sign !== null && (
              <span className={styles.sign} aria-hidden="true">
                {sign}
              </span>
            )}
            <dt>
              {amount === 'unexplained' && <span aria-hidden="true">✕ </span>}
              {amount}
            </dt>
            <dd>{formatCount(quantity)}</dd>
          </div>
        ))}
      </dl>
      <p data-sentence>{printable(asHeadline(losses.sentence))}</p>
      <p className="small faint">{sinceWords(losses.stamp)}</p>
    </section>
  )
}
