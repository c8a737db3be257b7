'use client'

import { lazy, Suspense } from 'react'
import { hex32 } from '../../lib/protocol/ids'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import { DroppedFile } from './dropped-file'
import styles from './trace-board.module.css'
import { TraceView } from './trace-view'
import { useTrace } from './use-trace'

const MissingTrace = lazy(() => import('./missing-trace').then((module) => ({ default: module.MissingTrace })))

export { readAhead } from './opened-trace'

/** An invalid id is not queried. */
export function TraceBoard({ traceId }: { readonly traceId: string }) {
  return (
    <DroppedFile>
      {() =>
        hex32(traceId) === null ? (
          <Suspense fallback={null}>
            <MissingTrace traceId={traceId} signals={[]} />
          </Suspense>
        ) : (
          <OneTrace key={traceId} traceId={traceId} />
        )
      }
    </DroppedFile>
  )
}

function OneTrace({ traceId }: { readonly traceId: string }) {
  const { trace, signals, readSegment, ...live } = useTrace(traceId)
  return (
    <div className={styles.board}>
      <ConnectionBanner {...live} />
      {trace === undefined && live.failure === null && <p className={styles.note}>Loading …</p>}
      {trace === null && (
        <Suspense fallback={null}>
          <MissingTrace traceId={traceId} signals={signals} />
        </Suspense>
      )}
      {trace && (
        <TraceView
          trace={trace}
          signals={signals}
          readSegment={readSegment}
          connection={<ConnectionState {...live} />}
        />
      )}
    </div>
  )
}
