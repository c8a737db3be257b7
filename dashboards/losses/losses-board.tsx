'use client'

import { formatCount } from '../../lib/format'
import { isStamp } from '../../lib/protocol/request'
import { telemetryRows } from '../../lib/wire/ledger-account'
import type { LedgerRow, Losses } from '../../lib/wire/losses'
import { Empty, FirstSteps } from '../ui/board'
import { BoardPage } from '../ui/board-page'
import { client } from '../ui/client'
import { Glyph } from '../ui/glyph'
import { useSearchParam } from '../ui/page-address'
import { printable } from '../ui/printable'
import { StampField, StampHint, useStampedRead } from '../ui/stamp'
import { Causes } from './causes'
import { flowOf } from './flow'
import { FlowPicture } from './flow-picture'
import { type Amount, chosenRow, inOrder, isBlank, sinceText, unexplainedText } from './ledger-columns'
import { LedgerTable } from './ledger-table'
import styles from './losses-board.module.css'

const KNOWN_PARAMS: readonly string[] = ['stamp', 'category']

/** `/losses?stamp=&category=`: where the items of a data category went, and the account of all categories. */
export function LossesBoard() {
  const [named, setStamp] = useSearchParam('stamp')
  const [category, setCategory] = useSearchParam('category')
  // An invalid stamp is not queried; the field shows the error.
  const stamp = named !== null && isStamp(named) ? named : null
  const { read: losses, ...live } = useStampedRead(stamp, { readOf: client.losses, concerns: () => true })
  const rows = losses === null ? [] : inOrder(telemetryRows(losses.categories))
  const row = chosenRow(rows, category)
  return (
    <BoardPage
      title="Losses"
      className={styles.board}
      scope={stamp === null ? 'all projects, since the record began' : `stamp ${stamp}`}
      live={live}
      reading={losses === null ? 'Loading …' : null}
      known={KNOWN_PARAMS}
      tools={
        <div className={styles.tools}>
          <Categories rows={rows} chosen={row?.category ?? null} onChoose={setCategory} />
          <StampField key={named ?? ''} stamp={named} onStamp={setStamp} />
        </div>
      }
    >
      {losses !== null &&
        (isBlank(losses) ? (
          <NoLosses stamp={stamp} />
        ) : (
          <>
            <Unexplained categories={losses.categories} />
            {row !== null && category !== null && category !== row.category && (
              <p className="banner warn small" role="status">
                Nothing is counted in the category <code>{printable(category)}</code>. Shown is{' '}
                <code>{printable(row.category)}</code>.
              </p>
            )}
            {row !== null && (
              <>
                <FlowPicture flow={flowOf(row, losses)} stamp={stamp} refused={refusedOf(losses)} />
                <Equation row={row} stamp={stamp} />
              </>
            )}
            <Causes losses={losses} category={row?.category ?? null} />
            <LedgerTable rows={losses.categories} innerSpans={losses.innerSpans} chosen={row?.category ?? null} />
            {losses.sentence !== '' && (
              <p className="small soft" data-sentence>
                <strong>By data category:</strong> {printable(losses.sentence)}.
              </p>
            )}
          </>
        ))}
    </BoardPage>
  )
}

/** Envelopes that were refused on arrival; `null` with a stamp, because refusals have none. */
const refusedOf = ({ losses, stamp }: Losses): number | null =>
  stamp === null ? losses.reduce((sum, { by, quantity }) => (by === 'endpoint' ? sum + quantity : sum), 0) : null

interface CategoriesProps {
  readonly rows: readonly LedgerRow[]
  readonly chosen: string | null
  readonly onChoose: (category: string) => void
}

/** One category at a time, because each counts in a unit of its own. */
function Categories({ rows, chosen, onChoose }: CategoriesProps) {
  return (
    <fieldset className={styles.categories} aria-label="Data category">
      {rows.map(({ category, made, lost }) => (
        <button
          key={category}
          type="button"
          aria-pressed={category === chosen}
          title={lost === 0 ? 'Nothing lost' : `${formatCount(lost)} lost`}
          onClick={() => onChoose(category)}
        >
          {lost > 0 && (
            <span className="toned" data-tone="warn">
              <Glyph name="lost" />
            </span>
          )}
          {printable(category)} <span className="num">{formatCount(made)}</span>
        </button>
      ))}
    </fieldset>
  )
}

function Unexplained({ categories }: Pick<Losses, 'categories'>) {
  const unexplained = unexplainedText(categories)
  if (unexplained === '') return null
  return (
    <p className="banner bad" role="alert" data-unexplained={unexplained}>
      <strong>✕ {printable(unexplained)} unexplained:</strong> received, but neither pending nor settled. This is a bug
      in Waystation: please report it.
    </p>
  )
}

const EQUATION: readonly (readonly [Amount, string])[] = [
  ['made', 'made'],
  ['accepted', 'accepted'],
  ['kept', 'kept'],
  ['pending', 'pending'],
  ['notSent', 'by choice'],
  ['lost', 'lost'],
  ['unexplained', 'unexplained'],
]

/** The parts of the flow add up to what was made. */
function Equation({ row, stamp }: { readonly row: LedgerRow; readonly stamp: string | null }) {
  return (
    <section className={styles.equation} aria-labelledby="account">
      <h2 id="account" className="visually-hidden">
        The account of {printable(row.category)}
      </h2>
      <span className="toned" data-tone={row.unexplained === 0 ? 'good' : 'bad'}>
        <Glyph name={row.unexplained === 0 ? 'accepted' : 'invalid'} />
      </span>
      <dl>
        {EQUATION.filter(([amount]) => amount !== 'kept' || row.kept !== 0).map(([amount, name]) => (
          <div key={amount} data-amount={amount} data-some={row[amount] !== 0}>
            <dt>{name}</dt>
            <dd className="num">{formatCount(row[amount])}</dd>
          </div>
        ))}
      </dl>
      <p className="faint">{sinceText(stamp)}</p>
    </section>
  )
}

function NoLosses({ stamp }: { readonly stamp: string | null }) {
  return (
    <Empty title={stamp === null ? 'Nothing counted yet' : 'Nothing recorded with this stamp'} what="page">
      <p>
        This page draws where everything went that SDKs made, per data category: accepted by upstream, kept here, still
        pending, not sent by choice, or lost, with the cause and what to do. Client reports contain what an SDK
        discarded.
      </p>
      {stamp === null ? (
        <FirstSteps lab=": loading the page already sends a few items." />
      ) : (
        <StampHint stamp={stamp}> The counts of stamps that were not used for long are deleted.</StampHint>
      )}
    </Empty>
  )
}
