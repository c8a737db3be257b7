'use client'

import { formatCount, plural } from '../../lib/format'
import { isStamp } from '../../lib/protocol/request'
import type { Losses } from '../../lib/wire/losses'
import { ConnectionBanner, ConnectionState, Empty } from '../ui/board'
import board from '../ui/board.module.css'
import { client } from '../ui/client'
import { UnknownParameters } from '../ui/filter-notes'
import { useSearchParam } from '../ui/page-address'
import { printable } from '../ui/printable'
import { type StampedState, StampField, StampHint, useStampedRead } from '../ui/stamp'
import { accountParts, asSentence, isBlank, sinceText, unexplainedIn } from './ledger-columns'
import { Books, LostWhy } from './loss-tables'
import styles from './losses-board.module.css'

const KNOWN_PARAMS: readonly string[] = ['stamp']

/** `/losses?stamp=`: what was made, what of it is accepted, what was lost, by whom and why. */
export function LossesBoard() {
  const [named, setStamp] = useSearchParam('stamp')
  // What is no stamp is not asked for; the field says so.
  const stamp = named !== null && isStamp(named) ? named : null
  const { read: losses, ...live } = useLosses(stamp)
  return (
    <div className={styles.board}>
      <div className={board.bar}>
        <h1>Losses</h1>
        <ConnectionState {...live} />
        <StampField key={named ?? ''} stamp={named} onStamp={setStamp} />
      </div>
      <UnknownParameters page="Losses" known={KNOWN_PARAMS} />
      <ConnectionBanner {...live} />
      {losses === null && live.failure === null && <p className="small faint">Reading …</p>}
      {losses !== null &&
        (isBlank(losses) ? (
          <NoLosses stamp={stamp} />
        ) : (
          <>
            <Account losses={losses} />
            <LostWhy losses={losses.losses} stamp={stamp} />
            <Books books={losses.categories} />
          </>
        ))}
    </div>
  )
}

/** The account in numbers, and in the sentence that the API gives to logs and CI. */
function Account({ losses }: { readonly losses: Losses }) {
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
        {accountParts(losses).map(({ amount, quantity, sign }) => (
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
      <p data-sentence>{printable(asSentence(losses.sentence))}</p>
      <p className="small faint">{sinceText(losses.stamp)}</p>
    </section>
  )
}

interface NothingMadeProps {
  readonly stamp: string | null
}

/** Empty books teach what would be in them. */
function NoLosses({ stamp }: NothingMadeProps) {
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
        <StampHint stamp={stamp}> Books of stamps that were not seen for long make room for newer ones.</StampHint>
      )}
    </Empty>
  )
}

/** What was made and what became of it, of everybody or of one stamp. Every fact is a reason to look again. */
const useLosses = (stamp: string | null): StampedState<Losses> =>
  useStampedRead(stamp, { readOf: client.losses, concerns: () => true })
