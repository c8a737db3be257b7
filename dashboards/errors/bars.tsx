import { formatCount, plural } from '../../lib/format'
import styles from './bars.module.css'

const HEIGHT = 26

interface BarsProps {
  /** `null` before the first answer. */
  readonly bars: readonly number[] | null
  readonly noun?: string
}

/** Counts per minute of the last hour, oldest first: of events, unless `noun` names others. */
export function Bars({ bars: counts, noun = 'event' }: BarsProps) {
  const bars = counts ?? []
  const most = Math.max(1, ...bars)
  const sum = bars.reduce((all, one) => all + one, 0)
  const found = sum === 0 ? 'none in the last hour' : `${formatCount(sum)} in the last hour, at most ${most} a minute`
  const label = counts === null ? 'Loading …' : found
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${bars.length * 2} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{counts === null ? label : `${plural(sum, noun)} in the last hour`}</title>
      <rect className={styles.base} x="0" y={HEIGHT - 1} width={bars.length * 2} height="1" />
      {bars.map((count, minute) => {
        const height = count === 0 ? 0 : Math.max(3, (count / most) * HEIGHT)
        return count > 0 && <rect key={minute} x={minute * 2} y={HEIGHT - height} width="1.5" height={height} />
      })}
    </svg>
  )
}
