'use client'

import { formatCount } from '../../lib/format'
import { isStamp } from '../../lib/protocol/request'
import type { Losses } from '../../lib/wire/losses'
import { Empty, FirstSteps } from '../ui/board'
import { BoardPage } from '../ui/board-page'
import { client } from '../ui/client'
import { useSearchParam } from '../ui/page-address'
import { printable } from '../ui/printable'
import { StampField, StampHint, useStampedRead } from '../ui/stamp'
import { asSentence } from '../ui/status-text'
import { isBlank, lostRows, sinceText, unexplainedText } from './ledger-columns'
import { LedgerTable, LossTable, NotSent } from './loss-tables'
import styles from './losses-board.module.css'

const KNOWN_PARAMS: readonly string[] = ['stamp']

/** `/losses?stamp=`: the account of all items made: accepted, pending, not sent by choice, and lost by cause. */
export function LossesBoard() {
  const [named, setStamp] = useSearchParam('stamp')
  // An invalid stamp is not queried; the field shows the error.
  const stamp = named !== null && isStamp(named) ? named : null
  const { read: losses, ...live } = useStampedRead(stamp, { readOf: client.losses, concerns: () => true })
  return (
    <BoardPage
      title="Losses"
      className={styles.board}
      scope={stamp === null ? 'all projects, since this data folder began' : `stamp ${stamp}`}
      live={live}
      reading={losses === null ? 'Loading …' : null}
      known={KNOWN_PARAMS}
      tools={<StampField key={named ?? ''} stamp={named} onStamp={setStamp} />}
    >
      {losses !== null &&
        (isBlank(losses) ? (
          <NoLosses stamp={stamp} />
        ) : (
          <>
            <Account losses={losses} />
            <LossTable losses={losses.losses} stamp={stamp} />
            <NotSent notSent={losses.notSent} />
            <LedgerTable rows={losses.categories} innerSpans={losses.innerSpans} />
          </>
        ))}
    </BoardPage>
  )
}

function Account({ losses }: { readonly losses: Losses }) {
  const unexplained = unexplainedText(losses.categories)
  const lost = lostRows(losses)
  return (
    <section className={styles.account} aria-labelledby="account">
      <h2 id="account" className="visually-hidden">
        The account
      </h2>
      {unexplained !== '' && (
        <p className="banner bad" role="alert" data-unexplained={unexplained}>
          <strong>✕ {printable(unexplained)} unexplained:</strong> received, but neither pending nor settled. This is a
          bug in Waystation: please report it.
        </p>
      )}
      <dl className={styles.line}>
        {lost.length === 0 ? (
          <Lost category={null} quantity={0} />
        ) : (
          lost.map((row) => <Lost key={row.category} category={row.category} quantity={row.lost} />)
        )}
      </dl>
      <p data-sentence>{printable(asSentence(losses.sentence))}</p>
      <p className="small faint">{sinceText(losses.stamp)}</p>
    </section>
  )
}

/** @param category `null` when no category lost anything */
function Lost({ category, quantity }: { readonly category: string | null; readonly quantity: number }) {
  return (
    <div data-amount="lost" data-bad={quantity > 0}>
      <dt>{category === null ? 'lost' : `${printable(category)} lost`}</dt>
      <dd>{formatCount(quantity)}</dd>
    </div>
  )
}

function NoLosses({ stamp }: { readonly stamp: string | null }) {
  return (
    <Empty title={stamp === null ? 'Nothing counted yet' : 'Nothing recorded with this stamp'} what="page">
      <p>
        This page accounts for everything that SDKs made, per data category: accepted by upstream, still pending, not
        sent by choice, or lost with the cause. Client reports contain what an SDK discarded.
      </p>
      {stamp === null ? (
        <FirstSteps lab=": loading the page already sends a few items." />
      ) : (
        <StampHint stamp={stamp}> The counts of stamps that were not used for long are deleted.</StampHint>
      )}
    </Empty>
  )
}
