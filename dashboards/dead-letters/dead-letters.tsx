'use client'

import { Fragment, useEffect, useEffectEvent, useRef, useState } from 'react'
import { formatCount } from '../../lib/format'
import type { DeadLetterOrder } from '../../lib/wire/delivery'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import board from '../ui/board.module.css'
import { ConfirmButton } from '../ui/confirm-button'
import { printable } from '../ui/printable'
import styles from './dead-letters.module.css'
import { DeadLettersTable } from './dead-letters-table'
import { type Chosen, chooseShown, countChosen, NONE_CHOSEN, ordersFor, toggle } from './letter-selection'
import { bothDone, doneText, dropText, NOTHING_DONE, progressText, sentAgain, sentText } from './order-text'
import { useDeadLetters } from './use-dead-letters'

interface Said {
  readonly text: string
  /** Which were sent again, where that is known: said instead of the text. */
  readonly sent?: readonly number[]
  readonly tone: 'busy' | 'done' | 'failed'
}

const NONE_POSTED: ReadonlySet<number> = new Set()

/** Envelopes that upstream refused for what they are: a person reads why, and sends them again or drops them. */
export function DeadLetters() {
  const [chosen, setChosen] = useState<Chosen>(NONE_CHOSEN)
  const [said, setSaid] = useState<Said | null>(null)
  /** What was posted since the last order was given, also while it was carried out. */
  const [posted, setPosted] = useState<ReadonlySet<number>>(NONE_POSTED)
  const busy = said?.tone === 'busy'
  const status = useRef<HTMLParagraphElement>(null)
  const isChoosing = busy || 'all' in chosen || chosen.seqs.size > 0
  const { letters, waiting, reveal, more, loadOlder, order, ...live } = useDeadLetters(isChoosing, (seq) => {
    if (busy || said?.sent?.includes(seq)) setPosted((before) => new Set([...before, seq]))
  })
  const away = live.failure !== null
  const shown = letters ?? []
  const { count, is } = countChosen(chosen, shown)
  const isAll = 'all' in chosen

  /** Resolves also where it failed: what was done before stays done, and is said. */
  const carryOut = async (does: DeadLetterOrder['do']): Promise<void> => {
    const orders = ordersFor(chosen, shown)
    setPosted(NONE_POSTED)
    const of = isAll ? null : count
    let done = NOTHING_DONE
    try {
      for (const which of orders) {
        setSaid({ text: progressText(does, done.done, of), tone: 'busy' })
        done = bothDone(done, await order({ do: does, which }))
      }
      const sent = sentAgain(does, orders, done)
      setSaid({ ...(sent.length > 0 && { sent }), text: doneText(does, done, of), tone: 'done' })
      setChosen(NONE_CHOSEN)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const before = done === NOTHING_DONE ? '' : `${doneText(does, done, null)} Then `
      setSaid({ text: `${before}It could not be done: ${printable(why)}`, tone: 'failed' })
    }
    // The button that was pressed may be disabled now: the focus goes on to what came of it.
    status.current?.focus()
  }
  const none = away || busy || count === 0
  return (
    <div className={board.wide}>
      <div className={board.bar}>
        <h1>Dead letters</h1>
        <ConnectionState {...live} />
      </div>
      <ConnectionBanner {...live} />
      <p className={styles.what}>
        Upstream refused these for what they are, or failed at them, and would again: they wait, pending, until a person
        decides. An envelope cannot be changed here: when upstream would take it, for its limit was raised or its fault
        mended, send it again; or drop it, and it counts as lost.
      </p>
      <section className={styles.orders} aria-label="With the chosen ones">
        <span className="num" data-chosen={isAll ? 'all' : count}>
          {isAll ? 'all chosen' : `${formatCount(count)} chosen`}
        </span>
        <button type="button" className="button primary" disabled={none} onClick={() => void carryOut('send')}>
          Send again
        </button>
        <ConfirmButton
          label="Drop"
          words={dropText(isAll ? null : count)}
          keep={dropText(isAll ? null : count).keep}
          confirm="Drop"
          disabled={none}
          act={() => carryOut('drop')}
          grave
        />
        {is === 'all' && more && !isAll && (
          <button type="button" className="button" disabled={busy} onClick={() => setChosen({ all: true })}>
            Choose all there are, also those not shown
          </button>
        )}
        {waiting > 0 && (
          <button type="button" className="button" onClick={reveal}>
            ↑ {formatCount(waiting)} new
          </button>
        )}
      </section>
      <p ref={status} tabIndex={-1} role="status" className={styles.said} data-said={said?.tone}>
        {said?.sent === undefined ? (
          said?.text
        ) : (
          <SentAgain
            seqs={said.sent}
            isOver={said.sent.every((seq) => posted.has(seq))}
            onGone={() => setSaid((now) => (now === said ? null : now))}
          />
        )}
      </p>
      {letters === null && !away && <p className="small faint">Reading …</p>}
      {letters?.length === 0 && <NoDeadLetters />}
      {shown.length > 0 && (
        <DeadLettersTable
          letters={shown}
          chosen={chosen}
          all={is}
          disabled={busy}
          onToggle={(seq) => setChosen(toggle(chosen, seq, shown))}
          onToggleAll={() => setChosen(is === 'all' ? NONE_CHOSEN : chooseShown(shown))}
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
  )
}

/** An empty list teaches what would be in it. */
function NoDeadLetters() {
  return (
    <div className={board.none} data-no-dead-letters>
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

/** When all were posted it is read once more, and then in the way. */
const GOES_AFTER_MS = 15_000

interface SentAgainProps {
  readonly seqs: readonly number[]
  /** All of them were posted since. */
  readonly isOver: boolean
  readonly onGone: () => void
}

/** Which envelopes were sent again, each a link, until that is over. */
function SentAgain({ seqs, isOver, onGone }: SentAgainProps) {
  const go = useEffectEvent(onGone)
  useEffect(() => {
    if (!isOver) return
    const timer = window.setTimeout(() => go(), GOES_AFTER_MS)
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
