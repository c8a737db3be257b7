'use client'

import { formatCount } from '../../lib/format'
import type { Overview } from '../../lib/wire/overview'
import { Glyph, type GlyphName } from '../ui/glyph'
import { printable } from '../ui/printable'
import { upstreamText } from '../ui/upstream-text'
import styles from './line.module.css'
import { type PathState, pathStops, type Stop } from './path-line'

const MARKS: Readonly<Record<Stop['state'], GlyphName>> = {
  ok: 'accepted',
  waiting: 'pause',
  failed: 'close',
  off: 'more',
  unknown: 'more',
}
const MEANINGS: Readonly<Record<Stop['state'], string>> = {
  ok: 'works',
  waiting: 'waits',
  failed: 'stops here',
  off: 'nothing reaches it',
  unknown: 'not known yet',
}

const ITEMS = 'An envelope has an item for each error, transaction or batch of logs. Losses counts each log and span.'

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
                <a className={`toned ${styles.spur}`} href={stop.spur.href} data-tone={stop.spur.tone}>
                  <Glyph name={stop.spur.glyph} /> <bdi>{stop.spur.text}</bdi>
                </a>
              )}
            </span>
            <p className={styles.name}>{stop.name}</p>
            <p className={styles.count} title={stop.id === 'received' ? ITEMS : undefined}>
              {stop.state === 'unknown' && <b>–</b>}
              {stop.count !== null && <b data-count={stop.id}>{formatCount(stop.count)}</b>} {stop.unit}
            </p>
            <p className={styles.detail}>{stop.detail}</p>
            {stop.id === 'upstream' &&
              stop.state !== 'unknown' &&
              overview !== null &&
              overview.store?.away == null && <Hosts overview={overview} nowMs={nowMs} />}
          </li>
        ))}
      </ol>
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
      <p className={styles.host} data-delivery="local-only" title="To relay, set it to the DSN of your project">
        <code>WAYSTATION_UPSTREAM</code> is not set
      </p>
    )
  return overview.upstreams.map((upstream) => {
    const { state, tone } = upstreamText(upstream, overview.limits, nowMs)
    return (
      <p key={upstream.label} className={styles.host} data-delivery={upstream.state}>
        <span className="mono">{upstream.standIn ? 'stand-in' : printable(upstream.label)}</span>:{' '}
        <span className="toned" data-tone={tone}>
          {state}
        </span>
      </p>
    )
  })
}
