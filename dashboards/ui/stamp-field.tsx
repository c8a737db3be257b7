'use client'

import { useId, useState } from 'react'
import { isStamp, STAMP_MEANT } from '../../lib/protocol/stamp'
import styles from './stamp-field.module.css'

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
        {wrong && `Meant is ${STAMP_MEANT}.`}
      </p>
    </search>
  )
}
