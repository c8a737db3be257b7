'use client'

import { useState } from 'react'
import { tellDone } from './changes'
import { client } from './client'
import { printable } from './printable'
import styles from './try-now.module.css'

/** A probe is answered some time after it was asked for: what is shown is read again at these moments. */
const LOOK_AFTER_MS = [300, 1500, 5000] as const

/** Beside an upstream that is waited for: whoever mended it need not wait as well. */
export function TryNow() {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const ask = async (): Promise<void> => {
    setBusy(true)
    try {
      await client.tryNow()
      setFailure(null)
      for (const ms of LOOK_AFTER_MS) window.setTimeout(tellDone, ms)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  return (
    <>
      <button
        type="button"
        className={`button ${styles.small}`}
        disabled={busy}
        title="Every upstream that is waited for is asked now"
        onClick={() => void ask()}
      >
        Try now
      </button>
      {failure !== null && <span> It could not be asked: {printable(failure)}.</span>}
    </>
  )
}
