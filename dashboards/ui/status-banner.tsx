'use client'

import { useState } from 'react'
import { client } from './client'
import { useNow } from './clock'
import { notifyDone } from './live-stream'
import { printable } from './printable'
import styles from './status-banner.module.css'
import { type LineKind, type StatusLine, statusLines } from './status-lines'
import { useStatus } from './use-status'

/** Full-height boards subtract the height of up to this many lines; `theme.css` has one rule per number. */
const COUNTED = 4

/** A banner on every page lists current problems. A line disappears when its cause ends. */
export function StatusBanner() {
  const read = useStatus()
  const now = useNow()
  const lines = read === null ? [] : statusLines(read.status, now + read.aheadMs)
  return (
    <div role="status" data-status-lines={Math.min(lines.length, COUNTED)}>
      {lines.map((line) => (
        <Line key={line.id} line={line} />
      ))}
    </div>
  )
}

function Line({ line: { kind, tone, word, text, clock, link } }: { readonly line: StatusLine }) {
  return (
    <p className={styles.line} data-tone={tone} data-line={kind}>
      <svg className={styles.glyph} aria-hidden="true" viewBox="0 0 12 12" width="12" height="12">
        <path d={GLYPHS[kind]} />
      </svg>
      <strong>
        <bdi>{word}</bdi>.
      </strong>{' '}
      <bdi>{text}</bdi>{' '}
      {clock !== null && (
        <>
          {/* A screen reader would read a running clock aloud every second. */}
          <span className="num" aria-hidden="true">
            {clock.running}
          </span>
          <span className="visually-hidden">{clock.still}</span>{' '}
        </>
      )}
      <a href={link.href}>{link.name}</a>
      {(kind === 'paused' || kind === 'backing_off') && (
        <>
          {' '}
          <TryNow />
        </>
      )}
    </p>
  )
}

const GLYPHS: Readonly<Record<LineKind, string>> = {
  shown: 'M2 3h8v7H2zM2 5.5h8M4.5 7.5h3',
  // A full tray, a circle struck through, a clock, an envelope, a line that ends, a pause, a sign to play.
  disk: 'M1.5 6v4h9V6M6 7.5v-6M3.8 3.5 6 1.5l2.2 2',
  paused: 'M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M2.9 2.9l6.2 6.2',
  backing_off: 'M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M6 3.5V6l1.8 1.2',
  dead_letters: 'M1.5 3h9v6.5h-9zM1.5 3.5 6 7l4.5-3.5',
  stranded: 'M1 6h6M9.5 3v6',
  limited: 'M4.2 2.5v7M7.8 2.5v7',
  script: 'M3.5 2v8l6-4z',
}

/** A probe takes some time, so the status is read again after these delays. */
const READ_AFTER_MS = [300, 1500, 5000] as const

/** Retries every upstream at once, for example after its DSN was fixed. */
export function TryNow() {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const retry = async (): Promise<void> => {
    setBusy(true)
    try {
      await client.tryNow()
      setFailure(null)
      for (const ms of READ_AFTER_MS) window.setTimeout(notifyDone, ms)
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
        title="Retries every paused or backing-off upstream now"
        onClick={() => void retry()}
      >
        Try now
      </button>
      {failure !== null && <span> Retry failed: {printable(failure)}.</span>}
    </>
  )
}
