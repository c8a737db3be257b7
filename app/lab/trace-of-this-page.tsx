'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useState } from 'react'
import { currentTraceId } from '../../lib/sdk/browser'
import styles from './lab.module.css'

/** Links to the trace of this page load or navigation; each navigation begins a new trace. */
export function TraceOfThisPage() {
  const path = usePathname()
  const [trace, setTrace] = useState<{ readonly path: string; readonly id: string } | null>(null)
  useEffect(() => {
    let shown = true
    void currentTraceId().then((id) => shown && setTrace(id === null ? null : { path, id }))
    return () => {
      shown = false
    }
  }, [path])
  return (
    <p className={styles.here}>
      <code>{path}</code>
      {trace !== null && trace.path === path && (
        <a href={`/traces/${trace.id}`} data-testid="page-trace">
          Trace of this page
        </a>
      )}
    </p>
  )
}
