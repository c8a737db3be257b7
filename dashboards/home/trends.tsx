import type { ReactNode } from 'react'
import { formatCount, formatDurationUs, plural } from '../../lib/format'
import type { Figures } from '../../lib/wire/figures'
import type { Slow } from '../../lib/wire/slow'
import { Bars } from '../errors/bars'
import { Spark } from './spark'
import styles from './trends.module.css'

interface TrendsProps {
  readonly figures: Figures | null
  readonly slow: Slow | null
}

/** Small multiples of the last hour. */
export function Trends({ figures, slow }: TrendsProps) {
  const minutes = figures?.minutes ?? null
  const pageLoads = slow?.pageLoads ?? null
  const rate = figures === null ? null : envelopesPerSecond(figures)
  const lost = figures === null ? null : lostShare(figures)
  return (
    <dl className={styles.trends} aria-label="The last hour">
      <Trend name="Envelopes" value={rate === null ? '–' : rateText(rate)} unit="a second">
        <span data-series="1">
          <Spark values={minutes?.envelopes ?? []} label={peakText(minutes?.envelopes, 'envelopes')} />
        </span>
      </Trend>
      <Trend
        name="Errors"
        value={figures === null ? '–' : formatCount(figures.navigation.errors)}
        unit={`in 15 min, ${figures === null ? '– new groups' : plural(figures.navigation.newGroups, 'new group')}`}
      >
        <span className={styles.bars}>
          <Bars bars={minutes?.errors ?? null} />
        </span>
      </Trend>
      <Trend
        name="Page load p95"
        value={pageLoads === null ? '–' : formatDurationUs(pageLoads.p95Us)}
        unit={pageLoadsText(slow)}
      >
        <span data-series="2">
          <Spark values={pageLoads?.minutes ?? []} label="p95 of page loads per minute of the last hour" />
        </span>
      </Trend>
      <Trend name="Lost" value={lost === null ? '–' : `${percent(lost)} %`} unit="of items, 15 min">
        <span className={styles.lost}>
          <Spark values={minutes?.lost ?? []} label={peakText(minutes?.lost, 'lost items')} />
        </span>
      </Trend>
    </dl>
  )
}

interface TrendProps {
  readonly name: string
  readonly value: string
  readonly unit: string
  readonly children: ReactNode
}

const Trend = ({ name, value, unit, children }: TrendProps) => (
  <div className={styles.trend}>
    <dt>{name}</dt>
    <dd className={styles.value}>
      <b>{value}</b> {unit}
    </dd>
    <dd className={styles.picture}>{children}</dd>
  </div>
)

/** Of the 15 minutes that the figures cover. */
export const envelopesPerSecond = ({ now, since, navigation }: Pick<Figures, 'now' | 'since' | 'navigation'>): number =>
  (navigation.envelopes * 1000) / Math.max(60_000, now - since)

/** The share of received items that were lost here or by upstream; those that never left an SDK are not known as items. */
export const lostShare = ({ line: { received, lost } }: Pick<Figures, 'line'>): number =>
  received === 0 ? 0 : Math.min(1, lost / received)

const rateText = (perSecond: number): string => perSecond.toFixed(perSecond > 0 && perSecond < 0.95 ? 2 : 1)

function percent(share: number): string {
  const value = 100 * share
  return value > 0 && value < 0.1 ? '<0.1' : value.toFixed(value < 9.95 && value > 0 ? 1 : 0)
}

function pageLoadsText(slow: Slow | null): string {
  if (slow === null) return 'of –'
  return slow.pageLoads === null ? 'none in the last hour' : `of ${formatCount(slow.pageLoads.count)}`
}

function peakText(counts: readonly number[] | undefined, what: string): string {
  const most = counts === undefined ? 'loading' : `at most ${formatCount(Math.max(0, ...counts))}`
  return `${what} per minute of the last hour, ${most}`
}
