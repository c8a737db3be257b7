'use client'

import { Fragment, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { formatCount } from '../../lib/format'
import type { DeadLetterOrder } from '../../lib/wire/delivery'
import { ConnectionBanner } from '../ui/board'
import board from '../ui/board.module.css'
import { ConfirmButton } from '../ui/confirm-button'
import { printable } from '../ui/printable'
import { TopBar } from '../ui/top-bar'
import styles from './dead-letters.module.css'
import { DeadLettersTable } from './dead-letters-table'
import { countSelected, NONE_SELECTED, orderBatches, type Selection, selectVisible, toggle } from './letter-selection'
import { bothDone, doneText, dropText, NOTHING_DONE, progressText, sentAgain, sentText } from './order-text'
import { useDeadLetters } from './use-dead-letters'

interface Result {
  readonly text: string
  /** The envelopes that were sent again, shown as links instead of the text. */
  readonly sent?: readonly number[]
  readonly tone: 'busy' | 'done' | 'failed'
}

const NONE_POSTED: ReadonlySet<number> = new Set()

/** @param tabs links to the other lists of deliveries */
export function DeadLetters({ tabs }: { readonly tabs: ReactNode }) {
  const [chosen, setChosen] = useState<Selection>(NONE_SELECTED)
  const [result, setResult] = useState<Result | null>(null)
  /** Envelopes posted since the last order started. */
  const [posted, setPosted] = useState<ReadonlySet<number>>(NONE_POSTED)
  const busy = result?.tone === 'busy'
  const status = useRef<HTMLParagraphElement>(null)
  const isChoosing = busy || 'all' in chosen || chosen.seqs.size > 0
  const { letters, waiting, reveal, more, loadOlder, order, ...live } = useDeadLetters(isChoosing, (seq) => {
    if (busy || result?.sent?.includes(seq)) setPosted((before) => new Set([...before, seq]))
  })
  const away = live.failure !== null
  const shown = letters ?? []
  const { count, is } = countSelected(chosen, shown)
  const isAll = 'all' in chosen

  /** Never rejects: a failure is shown with what was done before it. */
  const carryOut = async (does: DeadLetterOrder['do']): Promise<void> => {
    const orders = orderBatches(chosen, shown)
    setPosted(NONE_POSTED)
    const of = isAll ? null : count
    let done = NOTHING_DONE
    try {
      for (const which of orders) {
        setResult({ text: progressText(does, done.done, of), tone: 'busy' })
        done = bothDone(done, await order({ do: does, which }))
      }
      const sent = sentAgain(does, orders, done)
      setResult({ ...(sent.length > 0 && { sent }), text: doneText(does, done, of), tone: 'done' })
      setChosen(NONE_SELECTED)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const before = done === NOTHING_DONE ? '' : `${doneText(does, done, null)} Then `
      setResult({ text: `${before}The action failed: ${printable(why)}`, tone: 'failed' })
    }
    // The pressed button may be disabled now, so the focus moves to the result.
    status.current?.focus()
  }
  const none = away || busy || count === 0
  return (
    <>
      <TopBar title="Dead letters" live={live} scope="all projects, refused by upstream or failed there" />
      {tabs}
      <div className={board.wide}>
        <ConnectionBanner {...live} />
        <p className={styles.what}>
          A dead letter is an envelope that upstream refused, or failed to process. It is not retried: it stays pending
          until a person decides. Envelopes cannot be changed here. If upstream may accept one now, for example because
          it works again or its size limit was raised, send it again; otherwise drop it, and it counts as lost.
        </p>
        <section className={styles.orders} aria-label="Actions for the selection">
          <span className="num" data-chosen={isAll ? 'all' : count}>
            {isAll ? 'all selected' : `${formatCount(count)} selected`}
          </span>
          <button type="button" className="button primary" disabled={none} onClick={() => void carryOut('send')}>
            Send again
          </button>
          <ConfirmButton
            label="Drop"
            text={dropText(isAll ? null : count)}
            keep={dropText(isAll ? null : count).keep}
            confirm="Drop"
            disabled={none}
            act={() => carryOut('drop')}
            grave
          />
          {is === 'all' && more && !isAll && (
            <button type="button" className="button" disabled={busy} onClick={() => setChosen({ all: true })}>
              Select all, including those not loaded
            </button>
          )}
          {waiting > 0 && (
            <button type="button" className="button" onClick={reveal}>
              ↑ {formatCount(waiting)} new
            </button>
          )}
        </section>
        <p ref={status} tabIndex={-1} role="status" className={styles.result} data-result={result?.tone}>
          {result?.sent === undefined ? (
            result?.text
          ) : (
            <SentAgain
              seqs={result.sent}
              isOver={result.sent.every((seq) => posted.has(seq))}
              onGone={() => setResult((now) => (now === result ? null : now))}
            />
          )}
        </p>
        {letters === null && !away && <p className="small faint">Loading …</p>}
        {letters?.length === 0 && <NoDeadLetters />}
        {shown.length > 0 && (
          <DeadLettersTable
            letters={shown}
            chosen={chosen}
            all={is}
            disabled={busy}
            onToggle={(seq) => setChosen(toggle(chosen, seq, shown))}
            onToggleAll={() => setChosen(is === 'all' ? NONE_SELECTED : selectVisible(shown))}
          />
        )}
        {more && (
          <p>
            <button type="button" className="button" onClick={loadOlder} disabled={away}>
              Load older
            </button>
          </p>
        )}
      </div>
    </>
  )
}

function NoDeadLetters() {
  return (
    <div className={board.none} data-no-dead-letters>
      <h2>No dead letters</h2>
      <p>
        An envelope becomes a dead letter when upstream answers 400, 413, or a 5xx that is not temporary. A retry would
        probably get the same answer, so a person decides when to send it again. Nothing is lost until a person drops
        it.
      </p>
      <ul>
        <li>A rate limit (429) makes no dead letter: it is final, and upstream counts it.</li>
        <li>Temporary failures (no answer, 408, 502 to 504, a proxy’s 520 to 530) are retried automatically.</li>
        <li>When upstream refuses the DSN (401, 403, 404), all of its envelopes wait until that is fixed.</li>
      </ul>
      <p className="faint">New dead letters appear here automatically.</p>
    </div>
  )
}

/** The result is removed this long after all were posted. */
const REMOVE_AFTER_MS = 15_000

interface SentAgainProps {
  readonly seqs: readonly number[]
  readonly isOver: boolean
  readonly onGone: () => void
}

/** Links to the envelopes that were sent again, until all were posted. */
function SentAgain({ seqs, isOver, onGone }: SentAgainProps) {
  const go = useEffectEvent(onGone)
  useEffect(() => {
    if (!isOver) return
    const timer = window.setTimeout(() => go(), REMOVE_AFTER_MS)
    return () => window.clearTimeout(timer)
  }, [isOver])
  const { before, after } = sentText(seqs, isOver)
  return (
    <span data-sent-again={isOver ? 'over' : 'pending'}>
      {before}{' '}
      {seqs.map((seq, at) => (
        <Fragment key={seq}>
          {at > 0 && ', '}
          <a href={`/envelopes/${seq}`}>{seq}</a>
        </Fragment>
      ))}{' '}
      {after}
    </span>
  )
}
