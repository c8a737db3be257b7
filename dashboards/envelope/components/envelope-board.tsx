'use client'

import { ConnectionBanner, ConnectionState } from '../../live/components/connection-state'
import { useEnvelope } from '../load/use-envelope'
import styles from './envelope-board.module.css'
import { EnvelopeView } from './envelope-view'

/** `/envelopes/{n}`: one envelope, whole. */
export function EnvelopeBoard({ seq }: { readonly seq: number }) {
  const { envelope, ...live } = useEnvelope(seq)
  return (
    <div className={styles.board}>
      <ConnectionBanner {...live} />
      {envelope === undefined && live.failure === null && <p className="small faint">Reading …</p>}
      {envelope === null && (
        <div className={styles.missing}>
          <h1>Envelope {seq} is not here</h1>
          <p>
            Numbers are given in the order of arrival and never twice. If it has not arrived yet, it appears here when
            it does; if it was here before, the data folder is another one now.
          </p>
          <p>
            See all <a href="/envelopes">envelopes</a>.
          </p>
        </div>
      )}
      {envelope && <EnvelopeView envelope={envelope} connection={<ConnectionState {...live} />} />}
    </div>
  )
}
