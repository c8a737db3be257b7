'use client'

import { useEffect, useState } from 'react'
import { formatCount } from '../../../lib/format'
import { client, failureOf } from '../../ui/client'
import { CopyButton } from '../../ui/facts'
import { printable } from '../../ui/printable'
import { COLLECTOR_BASE } from '../../ui/standalone'
import styles from './json-view.module.css'
import type { ViewProps } from './other-view'
import { EmptyView, ViewFrame } from './view-frame'

/** The text that is shown; the address has all of it. */
const MOST_CHARACTERS = 200_000

/** The beginning of a text, printable. */
export const shownJson = (text: string): string => printable(text.slice(0, MOST_CHARACTERS), 'lines')

interface JsonRead {
  readonly text: string
  /** The state of the trace before the read. */
  readonly journal: number
}

/** The trace as the collector answers it. Read when it is opened, and again on request: it may be large. */
export function JsonView({ trace }: ViewProps) {
  const { traceId } = trace.summary
  const [read, setRead] = useState<JsonRead | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [wanted, setWanted] = useState({ traceId, journal: trace.journal })
  useEffect(() => {
    const aborter = new AbortController()
    client.trace(wanted.traceId, aborter.signal).then(
      (answer) => {
        setProblem(answer === null ? 'The trace was evicted or cleared.' : null)
        if (answer !== null) setRead({ text: JSON.stringify(answer, null, 2), journal: wanted.journal })
      },
      (error: unknown) => {
        const failure = failureOf(error)
        if (failure === null) return
        setProblem(failure.kind === 'unreachable' ? 'The collector does not answer.' : failure.detail)
      },
    )
    return () => aborter.abort()
  }, [wanted])
  const address = `${COLLECTOR_BASE}/query/traces/${encodeURIComponent(traceId)}`
  const again = (
    <button type="button" className="button" onClick={() => setWanted({ traceId, journal: trace.journal })}>
      Read again
    </button>
  )
  if (read === null) {
    return (
      <ViewFrame bar={<a href={address}>Open the address</a>}>
        <EmptyView>
          {problem ?? 'Loading …'} {problem !== null && again}
        </EmptyView>
      </ViewFrame>
    )
  }
  const isCut = read.text.length > MOST_CHARACTERS
  return (
    <ViewFrame
      bar={
        <>
          <CopyButton text={read.text} label="the JSON of the trace" />
          <a href={address}>Open the address</a>
          {read.journal !== trace.journal && again}
          <span>
            {problem ?? `${formatCount(read.text.length)} characters.`}
            {isCut && ` The first ${formatCount(MOST_CHARACTERS)} are shown; the address has all.`}
          </span>
        </>
      }
    >
      <textarea className={styles.text} readOnly aria-label="JSON of the trace" value={shownJson(read.text)} />
    </ViewFrame>
  )
}
