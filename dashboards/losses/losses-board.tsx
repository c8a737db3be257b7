'use client'

import { isStamp } from '../../lib/protocol/request'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import board from '../ui/board.module.css'
import { StrangeSaid } from '../ui/filter-notes'
import { useSearchParam } from '../ui/page-address'
import { StampField } from '../ui/stamp'
import { Account } from './account'
import { isBlank } from './account-lines'
import { Books } from './books'
import styles from './losses-board.module.css'
import { LostWhy } from './lost-why'
import { NothingMade } from './nothing-made'
import { useLosses } from './use-losses'

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
      <StrangeSaid page="Losses" known={KNOWN_PARAMS} />
      <ConnectionBanner {...live} />
      {losses === null && live.failure === null && <p className="small faint">Reading …</p>}
      {losses !== null &&
        (isBlank(losses) ? (
          <NothingMade stamp={stamp} />
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
