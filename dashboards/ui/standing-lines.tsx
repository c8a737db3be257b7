'use client'

import { type LineKind, type StandingLine, standingLines } from './lines'
import styles from './standing-lines.module.css'
import { TryNow } from './try-now'
import { useNow } from './use-now'
import { useStanding } from './use-standing'

/** So many take their height from boards that fill the window; `theme.css` has a rule for each number. */
const COUNTED = 4

/** Under the header of every page: what is not as always just now. A line goes when its cause is gone, and not before. */
export function StandingLines() {
  const read = useStanding()
  const now = useNow()
  const lines = read === null ? [] : standingLines(read.standing, now + read.aheadMs)
  return (
    <div role="status" data-standing-lines={Math.min(lines.length, COUNTED)}>
      {lines.map((line) => (
        <Line key={line.id} line={line} />
      ))}
    </div>
  )
}

function Line({ line: { kind, tone, word, says, clock, link } }: { readonly line: StandingLine }) {
  return (
    <p className={styles.line} data-tone={tone} data-line={kind}>
      <svg className={styles.glyph} aria-hidden="true" viewBox="0 0 12 12" width="12" height="12">
        <path d={GLYPHS[kind]} />
      </svg>
      <strong>
        <bdi>{word}</bdi>.
      </strong>{' '}
      <bdi>{says}</bdi>{' '}
      {clock !== null && (
        <>
          {/* Read aloud each second it would say nothing else. */}
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
  // A full tray, a circle struck through, a clock, an envelope, a line that ends, a pause, a sign to play.
  room: 'M1.5 6v4h9V6M6 7.5v-6M3.8 3.5 6 1.5l2.2 2',
  paused: 'M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M2.9 2.9l6.2 6.2',
  backing_off: 'M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M6 3.5V6l1.8 1.2',
  dead_letters: 'M1.5 3h9v6.5h-9zM1.5 3.5 6 7l4.5-3.5',
  stranded: 'M1 6h6M9.5 3v6',
  limited: 'M4.2 2.5v7M7.8 2.5v7',
  script: 'M3.5 2v8l6-4z',
}
