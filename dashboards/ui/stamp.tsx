'use client'

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { isStamp, STAMP_FORMAT } from '../../lib/protocol/request'
import { printable } from './printable'
import styles from './stamp.module.css'
import { type LiveReader, type LiveState, useLive } from './use-live'

interface StampFieldProps {
  readonly stamp: string | null
  readonly onStamp: (stamp: string | null) => void
}

/** Whose: what one stamp ties together, or everybody's. */
export function StampField({ stamp, onStamp }: StampFieldProps) {
  const [typed, setTyped] = useState(stamp ?? '')
  const id = useId()
  const said = typed.trim()
  const wrong = said !== '' && !isStamp(said)
  return (
    <search className={styles.stamp}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!wrong) onStamp(said === '' ? null : said)
        }}
      >
        <label htmlFor={id} className="small soft">
          Stamp
        </label>
        <input
          id={id}
          className="field"
          value={typed}
          placeholder="everybody’s"
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          aria-invalid={wrong || undefined}
          aria-describedby={`${id}-said`}
          onChange={(event) => setTyped(event.target.value)}
        />
        <button type="submit" className="button" disabled={wrong}>
          Show
        </button>
        {stamp !== null && (
          <button type="button" className="button" onClick={() => onStamp(null)}>
            Show everybody’s
          </button>
        )}
      </form>
      <p id={`${id}-said`} role="status" className="small">
        {wrong && `Meant is ${STAMP_FORMAT}.`}
      </p>
    </search>
  )
}

/** Nothing came with a stamp: which was asked for, and how one comes to be. */
export function StampHint({ stamp, children }: { readonly stamp: string; readonly children?: ReactNode }) {
  return (
    <p>
      Asked for is <code>{printable(stamp)}</code>. A stamp ties what a test or a build sends together: it comes by the
      header <code>X-Waystation-Stamp</code>, or by the cookie <code>waystation-stamp</code> of a page.{children}
    </p>
  )
}

interface OfStamp {
  /** `null` is everybody. */
  readonly stamp: string | null
}

export interface StampedReader<Read extends OfStamp> extends Omit<LiveReader, 'read'> {
  readonly readOf: (wanted: { readonly stamp?: string; readonly signal: AbortSignal }) => Promise<Read>
}

export interface StampedState<Read extends OfStamp> extends LiveState {
  /** `null` until it was read; that of another stamp is not shown for this one. */
  readonly read: Read | null
}

/** What is read of everybody or of one stamp, at once of another when the stamp is another. */
export function useStampedRead<Read extends OfStamp>(
  stamp: string | null,
  { readOf, ...reader }: StampedReader<Read>,
): StampedState<Read> {
  const [read, setRead] = useState<Read | null>(null)
  const { readNow, connection, failure } = useLive({
    ...reader,
    read: async (signal) => {
      const now = await readOf({ ...(stamp !== null && { stamp }), signal })
      if (!signal.aborted) setRead(now)
    },
  })
  const asked = useRef(stamp)
  useEffect(() => {
    if (asked.current === stamp) return
    asked.current = stamp
    readNow()
  }, [stamp, readNow])
  return { read: read?.stamp === stamp ? read : null, connection, failure }
}
