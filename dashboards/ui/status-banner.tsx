'use client'

import { useState } from 'react'
import { client } from './client'
import { useNow } from './clock'
import { Glyph, type GlyphName } from './glyph'
import { notifyDone } from './live-stream'
import { printable } from './printable'
import styles from './status-banner.module.css'
import { type LineKind, type StatusLine, statusLines } from './status-lines'
import type { StatusRead } from './use-status'

/** Full-height boards subtract the height of up to this many lines; `tokens.css` has one rule per number. */
const COUNTED = 4

/** A banner on every page lists current problems. A line disappears when its cause ends. */
export function StatusBanner({ read }: { readonly read: StatusRead | null }) {
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
      <Glyph name={LINE_GLYPHS[kind]} />
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

const LINE_GLYPHS: Readonly<Record<LineKind, GlyphName>> = {
  shown: 'play',
  disk: 'overflow',
  reach: 'pending',
  paused: 'invalid',
  backing_off: 'pending',
  dead_letters: 'dead_letter',
  stranded: 'lost',
  limited: 'rate_limited',
  script: 'play',
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
