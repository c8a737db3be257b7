'use client'

import { formatCount, plural } from '../../lib/format'
import type { Figures } from '../../lib/wire/figures'
import type { Status } from '../../lib/wire/overview'
import type { Failure } from '../ui/client'
import { useNow } from '../ui/clock'
import { Glyph } from '../ui/glyph'
import { printable } from '../ui/printable'
import { formatAge, formatLeft } from '../ui/times'
import { isTroubled, limitsInForce, lostItemsText } from '../ui/upstream-text'
import type { StatusRead } from '../ui/use-status'
import styles from './status-line.module.css'

interface StatusLineProps {
  readonly figures: Figures | null
  readonly status: StatusRead | null
  readonly failure: Failure | null
  readonly onKeys: () => void
}

/** One line at the foot of every page: the path of telemetry with counts of items, limits, disk. Each part is a link. */
export function StatusLine({ figures, status, failure, onKeys }: StatusLineProps) {
  const nowMs = useNow() + (status?.aheadMs ?? 0)
  const { upstreams, store, limits = [] } = status?.status ?? {}
  const [limit, ...others] = limitsInForce(limits, nowMs)
  const isUpstreamTroubled = upstreams?.some((upstream) => isTroubled(upstream, limits, nowMs)) ?? false
  return (
    <section className={styles.line} aria-label="Status">
      <Connected figures={figures} failure={failure} nowMs={nowMs} />
      {figures !== null && (
        <Track figures={figures} store={store} isLocal={upstreams?.length === 0} isWarning={isUpstreamTroubled} />
      )}
      {limit !== undefined && (
        <a href="/limits" className={`toned ${styles.narrow}`} data-tone="warn">
          <Glyph name="rate_limited" />
          <bdi>{printable(limit.category)}</bdi> limited, {formatLeft(limit.until, nowMs) ?? '0 s'}
          {others.length > 0 && ` and ${others.length} more`}
        </a>
      )}
      {figures !== null && <Ledger unexplained={figures.line.unexplained} />}
      {figures !== null && (
        <a href="/storage">
          disk {figures.navigation.storageUsed.toFixed(figures.navigation.storageUsed < 10 ? 1 : 0)} %
          <meter className={styles.meter} min={0} max={100} value={figures.navigation.storageUsed} aria-hidden="true" />
        </a>
      )}
      <button type="button" className={figures === null ? styles.push : undefined} onClick={onKeys}>
        <kbd>?</kbd> keys
      </button>
    </section>
  )
}

/** Whether every item that was received is pending or decided. */
function Ledger({ unexplained }: Pick<Figures['line'], 'unexplained'>) {
  const [first, ...others] = unexplained
  return (
    <a
      href="/losses"
      className={styles.push}
      data-ledger={first === undefined ? 'balanced' : 'unexplained'}
      data-tone={first === undefined ? undefined : 'bad'}
      title="Received = pending and decided, in each data category, since the record began"
    >
      <span className={`toned ${styles.mark}`} data-tone={first === undefined ? 'good' : 'bad'}>
        <Glyph name={first === undefined ? 'accepted' : 'invalid'} />
      </span>
      {first === undefined ? (
        <span className={styles.words}>ledger balances</span>
      ) : (
        <span>
          ledger: {formatCount(first.quantity)} unexplained of <bdi>{printable(first.category)}</bdi>
          {others.length > 0 && ` and ${others.length} more`}
        </span>
      )}
    </a>
  )
}

const FAILURES: Readonly<Record<Failure['kind'], string>> = {
  unreachable: 'The collector does not answer; retrying',
  behind: 'The collector copies from PostgreSQL; retrying',
  refused: 'The collector refused',
  unreadable: 'The collector refused',
}

interface ConnectedProps {
  readonly figures: Figures | null
  readonly failure: Failure | null
  readonly nowMs: number
}

function Connected({ figures, failure, nowMs }: ConnectedProps) {
  if (failure !== null) {
    return (
      <a href="/" className={`toned ${styles.narrow}`} data-tone="bad">
        <span className={styles.dot} data-state="off" />
        <span role="status">{FAILURES[failure.kind]}</span>
      </a>
    )
  }
  if (figures === null)
    return (
      <a href="/" className={styles.narrow}>
        <span className={styles.dot} data-state="off" />
        Connecting …
      </a>
    )
  const { apps, lastEnvelope } = figures.line
  return (
    <a href="/" className={styles.narrow} title="Apps that sent something in the last 15 minutes">
      <span className={styles.dot} data-state={apps > 0 ? 'on' : 'off'} />
      <b>{apps > 0 ? 'Connected' : 'No app connected'}</b>
      {apps > 0 && <span>{apps === 1 ? '1 app' : `${formatCount(apps)} apps`}</span>}
      {lastEnvelope !== null && <span>last envelope {ago(lastEnvelope, nowMs)}</span>}
    </a>
  )
}

function ago(atMs: number, nowMs: number): string {
  const age = formatAge(atMs, nowMs + 999)
  return age === 'now' ? 'now' : `${age} ago`
}

interface TrackProps {
  readonly figures: Figures
  /** The record that collectors share. */
  readonly store: Status['store']
  readonly isLocal: boolean
  /** An upstream limits, fails, or has dead letters. */
  readonly isWarning: boolean
}

/** apps → received → stored → upstream, in items of the last 15 minutes; refused requests have no known items. */
function Track({ figures: { line, navigation }, store, isLocal, isWarning }: TrackProps) {
  const lost = lostItemsText(line)
  const isAway = store?.away != null
  return (
    <a
      href="/losses"
      className={styles.track}
      title="Envelope items of the last 15 minutes: a batch of logs is one. Pending ones are at present."
    >
      <span>
        last 15 min: received <b>{formatCount(line.received)}</b> {line.received === 1 ? 'item' : 'items'}
      </span>
      {navigation.refused > 0 && (
        <span className={`toned ${styles.mark}`} data-tone="warn">
          <Glyph name="invalid" />
          {plural(navigation.refused, 'request')} refused
        </span>
      )}
      <Join tone={isAway ? 'warn' : 'ok'} />
      {isAway ? (
        <span className={`toned ${styles.mark}`} data-tone="bad" data-store="away">
          <Glyph name="invalid" />
          PostgreSQL is away
        </span>
      ) : (
        <span>
          stored <b>{formatCount(line.received)}</b>
          {store !== undefined && ' in PostgreSQL'}
        </span>
      )}
      <Join tone={lost === null && !isWarning && !isAway ? 'ok' : 'warn'} />
      {isLocal ? (
        <span>kept here, no upstream</span>
      ) : (
        <span>
          accepted <b>{formatCount(line.accepted)}</b>
        </span>
      )}
      {line.pending > 0 && <span>{formatCount(line.pending)} pending</span>}
      {lost !== null && (
        <span className={`toned ${styles.mark}`} data-tone="warn">
          <Glyph name="lost" />
          {lost}
        </span>
      )}
    </a>
  )
}

const Join = ({ tone }: { readonly tone: 'ok' | 'warn' }) => (
  <span className={styles.join} data-tone={tone} aria-hidden="true" />
)
