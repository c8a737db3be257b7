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

export function StampField({ stamp, onStamp }: StampFieldProps) {
  const [input, setInput] = useState(stamp ?? '')
  const id = useId()
  const typed = input.trim()
  const isInvalid = typed !== '' && !isStamp(typed)
  return (
    <search className={styles.stamp}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isInvalid) onStamp(typed === '' ? null : typed)
        }}
      >
        <label htmlFor={id} className="small soft">
          Stamp
        </label>
        <input
          id={id}
          className="field"
          value={input}
          placeholder="all"
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          aria-invalid={isInvalid || undefined}
          aria-describedby={`${id}-note`}
          onChange={(event) => setInput(event.target.value)}
        />
        <button type="submit" className="button" disabled={isInvalid}>
          Show
        </button>
        {stamp !== null && (
          <button type="button" className="button" onClick={() => onStamp(null)}>
            Show all
          </button>
        )}
      </form>
      <p id={`${id}-note`} role="status" className="small">
        {isInvalid && `Invalid stamp: expected ${STAMP_FORMAT}.`}
      </p>
    </search>
  )
}

export function StampHint({ stamp, children }: { readonly stamp: string; readonly children?: ReactNode }) {
  return (
    <p>
      The stamp is <code>{printable(stamp)}</code>. A stamp ties the telemetry of one test or build together. Send it as
      the header <code>X-Waystation-Stamp</code>, or set it as the cookie <code>waystation-stamp</code> of a page.
      {children}
    </p>
  )
}

interface OfStamp {
  /** `null` for all telemetry. */
  readonly stamp: string | null
}

interface StampedReader<Read extends OfStamp> extends Omit<LiveReader, 'read'> {
  readonly readOf: (request: { readonly stamp?: string; readonly signal: AbortSignal }) => Promise<Read>
}

export interface StampedState<Read extends OfStamp> extends LiveState {
  /** `null` until it is read for the current stamp. */
  readonly read: Read | null
}

/** Reads for one stamp or for all telemetry, and again as soon as the stamp changes. */
export function useStampedRead<Read extends OfStamp>(
  stamp: string | null,
  { readOf, ...reader }: StampedReader<Read>,
): StampedState<Read> {
  const [read, setRead] = useState<Read | null>(null)
  const { readNow, ...live } = useLive({
    ...reader,
    read: async (signal) => {
      const now = await readOf({ ...(stamp !== null && { stamp }), signal })
      if (!signal.aborted) setRead(now)
    },
  })
  const requested = useRef(stamp)
  useEffect(() => {
    if (requested.current === stamp) return
    requested.current = stamp
    readNow()
  }, [stamp, readNow])
  return { ...live, read: read?.stamp === stamp ? read : null }
}
