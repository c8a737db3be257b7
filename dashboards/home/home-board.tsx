'use client'

import { ConnectionBanner, ConnectionState } from '../ui/connection-state'
import { Counts } from './counts'
import { Delivery } from './delivery'
import styles from './home-board.module.css'
import { LastEnvelope } from './last-envelope'
import { OwnPrograms } from './own-programs'
import { Refusals } from './refusals'
import { useOverview } from './use-overview'

/** `/`: what this is, and what happens right now, on one screen. */
export function HomeBoard() {
  const { overview, ...live } = useOverview()
  return (
    <div className={styles.home}>
      <div className={styles.lead}>
        <h1>See what your app sent, where it went, and what became of it.</h1>
        <p className="soft">
          Waystation stands on the path of your Sentry envelopes: it writes each one to disk before it answers, shows it
          here, and relays it unchanged to your project when you name one. Look at the <a href="/traces">traces</a>, the{' '}
          <a href="/events">errors</a>, the <a href="/signals">signals</a> and the <a href="/envelopes">envelopes</a>,
          or cause some in <a href="/lab">the lab</a>.
        </p>
      </div>
      <ConnectionBanner {...live} />
      <section className={styles.now} aria-labelledby="now">
        <div className={styles.heading}>
          <h2 id="now">Right now</h2>
          <ConnectionState {...live} />
        </div>
        <Counts counts={overview?.counts ?? null} />
        <Refusals refusals={overview?.refusals ?? []} />
        <LastEnvelope overview={overview} />
      </section>
      <div className={styles.columns}>
        <Delivery overview={overview} />
        <OwnPrograms overview={overview} />
      </div>
    </div>
  )
}
