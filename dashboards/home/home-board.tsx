'use client'

import { useState } from 'react'
import { formatBytes, formatCount } from '../../lib/format'
import type { Overview } from '../../lib/wire/overview'
import { refusalText } from '../losses/loss-reasons'
import { ConnectionBanner } from '../ui/board'
import { client } from '../ui/client'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { printable } from '../ui/printable'
import { ItemChips, Received } from '../ui/received'
import { HAS_LAB } from '../ui/standalone'
import { TopBar } from '../ui/top-bar'
import { type LiveState, useLive } from '../ui/use-live'
import { Delivery } from './delivery'
import styles from './home-board.module.css'
import { OwnPrograms } from './own-programs'
import { Run } from './run'

/** `/`: what Waystation is, and what happens now. */
export function HomeBoard() {
  const { overview, ...live } = useOverview()
  return (
    <>
      <TopBar title="Live" live={live} scope="everything your apps send, as it arrives" />
      <div className={styles.home}>
        <div className={styles.lead}>
          <p className="soft">
            Waystation receives your Sentry envelopes: it writes each one to disk before it answers, shows it here, and
            relays it unchanged to your project if you set an upstream. Open the <a href="/traces">traces</a>, the{' '}
            <a href="/errors">errors</a>, the <a href="/logs">logs</a> and the <a href="/envelopes">envelopes</a>
            {HAS_LAB && (
              <>
                , or send some from <a href="/lab">the lab</a>
              </>
            )}
            .
          </p>
        </div>
        <ConnectionBanner {...live} />
        {overview?.run != null && <Run run={overview.run} />}
        <section className={styles.now} aria-labelledby="now">
          <div className={styles.heading}>
            <h2 id="now">{overview?.isShown === true ? 'Recorded' : 'Right now'}</h2>
          </div>
          <Counts counts={overview?.counts ?? null} />
          <Refusals refusals={overview?.refusals ?? []} />
          <LastEnvelope overview={overview} />
        </section>
        <div className={styles.columns}>
          <Delivery overview={overview} />
          {overview?.isShown !== true && <OwnPrograms overview={overview} />}
        </div>
      </div>
    </>
  )
}

const SHOWN = [
  { key: 'envelopes', label: 'envelopes', href: '/envelopes' },
  { key: 'traces', label: 'traces', href: '/traces' },
  { key: 'spans', label: 'spans', href: null },
  { key: 'errors', label: 'errors', href: '/errors' },
  { key: 'refused', label: 'refused', href: '/losses' },
] as const

const MEANS: Partial<Record<keyof Overview['counts'], string>> = {
  refused: 'Refused on arrival: unknown DSN, too large, or malformed.',
}

function Counts({ counts }: { readonly counts: Overview['counts'] | null }) {
  return (
    <dl className={styles.counts}>
      {SHOWN.map(({ key, label, href }) => (
        <div key={key} title={MEANS[key]} data-alarm={key === 'refused' && (counts?.refused ?? 0) > 0}>
          <dt>{href === null ? label : <a href={href}>{label}</a>}</dt>
          <dd data-count={key}>{counts === null ? '–' : formatCount(counts[key])}</dd>
        </div>
      ))}
    </dl>
  )
}

function LastEnvelope({ overview }: { readonly overview: Overview | null }) {
  if (overview === null) return <p className={styles.last}>Loading …</p>
  const { last } = overview
  if (last === null) {
    return (
      <p className={styles.last} data-waiting>
        Nothing has arrived yet.{' '}
        {HAS_LAB ? (
          <>
            The load of this page arrives about two seconds after it started. After that, <a href="/lab">the lab</a> can
            send anything else.
          </>
        ) : (
          'Point a program at the local DSN below.'
        )}
      </p>
    )
  }
  return (
    <p className={styles.last} data-last-envelope={last.seq}>
      <span className="faint">Last</span>
      <a className="num" href={`/envelopes/${last.seq}`}>
        envelope {last.seq}
      </a>
      <Age atMs={last.receivedAt} ago />
      <ItemChips items={last.items} />
      <span className="num faint">{formatBytes(last.bytes)}</span>
      {last.sdk !== null && <Received className={styles.sdk} text={last.sdk} />}
      <DeliveryStatusMark deliveryStatus={last.deliveryStatus} withReason />
      {last.traceId !== null && <a href={`/traces/${last.traceId}`}>trace</a>}
    </p>
  )
}

function Refusals({ refusals }: { readonly refusals: Overview['refusals'] }) {
  if (refusals.length === 0) return null
  return (
    <ul className={styles.refusals} aria-label="Refused, by reason">
      {refusals.map(({ reason, envelopes, paths = [] }) => (
        <li key={reason} data-refusal={reason}>
          <span className={`num ${styles.count}`}>{formatCount(envelopes)} refused</span>
          <span>
            {printable(refusalText(reason))}
            {paths.map(({ path, envelopes: sent }) => (
              <span key={path} className={styles.path} data-refused-path={path}>
                <code>{path === 'other' ? 'other addresses' : printable(path)}</code> {formatCount(sent)}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  )
}

function useOverview(): LiveState & { readonly overview: Overview | null } {
  const [overview, setOverview] = useState<Overview | null>(null)
  const live = useLive({
    read: async (signal) => setOverview(await client.overview(signal)),
    concerns: () => true,
  })
  return { ...live, overview }
}
