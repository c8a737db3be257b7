'use client'

import { isStamp } from '../../lib/protocol/request'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import board from '../ui/board.module.css'
import { useNow } from '../ui/clock'
import { StrangeSaid } from '../ui/filter-notes'
import { useSearchParam } from '../ui/page-address'
import { StampField } from '../ui/stamp'
import { Beyond } from './beyond'
import { NothingToJudge } from './nothing-to-judge'
import { Settings } from './settings'
import { Sum } from './sum'
import { useContract } from './use-contract'

const KNOWN_PARAMS: readonly string[] = ['stamp']

/** `/contract?stamp=`: each setting of the runtime contract, its value, where it is set, and its verdict on what is recorded. */
export function ContractBoard() {
  const [named, setStamp] = useSearchParam('stamp')
  // What is no stamp is not asked for; the field says so.
  const stamp = named !== null && isStamp(named) ? named : null
  const { read: contract, ...live } = useContract(stamp)
  const now = useNow()
  return (
    <div className={board.board}>
      <div className={board.bar}>
        <h1>Contract</h1>
        <ConnectionState {...live} />
        <StampField key={named ?? ''} stamp={named} onStamp={setStamp} />
      </div>
      <StrangeSaid page="Contract" known={KNOWN_PARAMS} />
      <ConnectionBanner {...live} />
      {contract === null && live.failure === null && <p className="small faint">Judging …</p>}
      {contract !== null && contract.from.submissions === 0 && <NothingToJudge stamp={stamp} />}
      {contract !== null && contract.from.submissions > 0 && <Sum contract={contract} now={now} />}
      {contract !== null && (
        <>
          <Settings settings={contract.settings} />
          <Beyond rules={contract.beyond} />
        </>
      )}
    </div>
  )
}
