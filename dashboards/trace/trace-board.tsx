'use client'

import { hex32 } from '../../lib/protocol/ids'
import { ConnectionBanner, ConnectionState } from '../ui/connection-state'
import { MissingTrace } from './missing-trace'
import styles from './trace-board.module.css'
import { TraceView } from './trace-view'
import { useTrace } from './use-trace'

/** What cannot be an id is not asked for: no answer would make it one. */
export function TraceBoard({ traceId }: { readonly traceId: string }) {
  return hex32(traceId) === null ? <MissingTrace traceId={traceId} signals={[]} /> : <OneTrace traceId={traceId} />
}

/** `/traces/{id}`: everything that came of one trace, on one time axis, growing while it is looked at. */
function OneTrace({ traceId }: { readonly traceId: string }) {
  const { trace, signals, ...live } = useTrace(traceId)
  return (
    <div className={styles.board}>
      <ConnectionBanner {...live} />
      {trace === undefined && live.failure === null && <p className={styles.note}>Reading …</p>}
      {trace === null && <MissingTrace traceId={traceId} signals={signals} />}
      {trace && <TraceView trace={trace} signals={signals} connection={<ConnectionState {...live} />} />}
    </div>
  )
}
