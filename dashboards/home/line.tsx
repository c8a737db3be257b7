'use client'

import { formatCount } from '../../lib/format'
import type { Overview } from '../../lib/wire/overview'
import { Glyph, type GlyphName } from '../ui/glyph'
import { printable } from '../ui/printable'
import { TryNow } from '../ui/status-banner'
import { capitalise } from '../ui/status-text'
import { lastAnswerText, strandedText, upstreamText } from '../ui/upstream-text'
import styles from './line.module.css'
import { type PathState, pathStops, type Stop } from './path-line'

const MARKS: Readonly<Record<Stop['state'], GlyphName>> = {
  ok: 'accepted',
  waiting: 'pause',
  failed: 'close',
  off: 'more',
}
const MEANINGS: Readonly<Record<Stop['state'], string>> = {
  ok: 'works',
  waiting: 'waits',
  failed: 'stops here',
  off: 'nothing reaches it',
}

/** The path of telemetry, large: how much reached each stop, and what left the path between two. */
export function Line(state: PathState) {
  const { overview, nowMs } = state
  return (
    <section className={styles.path} aria-label="Delivery">
      <ol className={styles.line}>
        {pathStops(state).map((stop) => (
          <li key={stop.id} className={styles.stop} data-stop={stop.id} data-state={stop.state}>
            <span className={styles.rail}>
              <span className={styles.mark} role="img" aria-label={MEANINGS[stop.state]}>
                <Glyph name={MARKS[stop.state]} />
              </span>
              {stop.id !== 'upstream' && <span className={styles.join} data-cut={stop.isCut} aria-hidden="true" />}
              {stop.spur !== null && (
                <a className={`toned cut ${styles.spur}`} href={stop.spur.href} data-tone={stop.spur.tone}>
                  <Glyph name={stop.spur.glyph} /> <bdi className="cut">{stop.spur.text}</bdi>
                </a>
              )}
            </span>
            <p className={styles.name}>{stop.name}</p>
            <p className={styles.count}>
              {stop.count !== null && <b data-count={stop.id}>{formatCount(stop.count)}</b>} {stop.unit}
            </p>
            <p className="cut soft">{stop.detail}</p>
            {stop.id === 'upstream' && overview !== null && <Hosts overview={overview} nowMs={nowMs} />}
          </li>
        ))}
      </ol>
      {overview !== null && <Notes overview={overview} nowMs={nowMs} />}
    </section>
  )
}

interface OverviewAt {
  readonly overview: Overview
  readonly nowMs: number
}

function Hosts({ overview, nowMs }: OverviewAt) {
  if (overview.localOnly && !overview.isShown)
    return (
      <p className="cut soft" data-delivery="local-only" title="To relay, set it to the DSN of your project">
        <code>WAYSTATION_UPSTREAM</code> is not set
      </p>
    )
  return overview.upstreams.map((upstream) => (
    <p key={upstream.label} className="cut soft" data-delivery={upstream.state}>
      <span className="mono">{upstream.standIn ? 'stand-in' : printable(upstream.label)}</span>:{' '}
      <span className="toned" data-tone={upstreamText(upstream, nowMs).tone}>
        {upstreamText(upstream, nowMs).state}
      </span>
    </p>
  ))
}

/** Sentences where something stops or waits for a person. */
function Notes({ overview: { upstreams, stranded }, nowMs }: OverviewAt) {
  const notes = upstreams.map((upstream) => ({ upstream, words: upstreamText(upstream, nowMs) }))
  const spoken = notes.filter(({ words }) => words.waiting.length > 0 || words.tone === 'warn' || words.tone === 'bad')
  if (spoken.length === 0 && stranded.length === 0) return null
  return (
    <ul className={styles.notes}>
      {spoken.map(({ upstream, words }) => {
        const last = lastAnswerText(upstream.last)
        return (
          <li key={upstream.label}>
            {(words.tone === 'warn' || words.tone === 'bad') && (
              <>
                <strong className="toned" data-tone={words.tone}>
                  {capitalise(words.state)}.
                </strong>{' '}
                {words.detail}
                {last !== null && <span className="faint"> {capitalise(printable(last))}.</span>}{' '}
              </>
            )}
            {words.waiting.map(({ text, href, name }) => (
              <span key={href} data-waiting={href}>
                {text} <a href={href}>{name}</a>{' '}
              </span>
            ))}
            {upstream.retryAt !== null && <TryNow />}
          </li>
        )
      })}
      {stranded.map((one) => (
        <li key={`${one.project} ${one.publicKey}`} data-stranded={one.project}>
          <strong className="toned" data-tone="warn">
            Stranded.
          </strong>{' '}
          {strandedText(one)} <a href="/storage">Storage</a>
        </li>
      ))}
    </ul>
  )
}
