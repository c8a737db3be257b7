import { formatCount, plural } from '../../lib/format'
import styles from './bars.module.css'

const HEIGHT = 26

/** Counts per minute of the last hour, oldest first: of events, unless `noun` names others. */
export function Bars({ bars, noun = 'event' }: { readonly bars: readonly number[]; readonly noun?: string }) {
  const most = Math.max(1, ...bars)
  const sum = bars.reduce((all, one) => all + one, 0)
  const label = sum === 0 ? 'none in the last hour' : `${formatCount(sum)} in the last hour, at most ${most} a minute`
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${bars.length * 2} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{`${plural(sum, noun)} in the last hour`}</title>
      <rect className={styles.base} x="0" y={HEIGHT - 1} width={bars.length * 2} height="1" />
      {bars.map((count, minute) => {
        const height = count === 0 ? 0 : Math.max(3, (count / most) * HEIGHT)
        return count > 0 && <rect key={minute} x={minute * 2} y={HEIGHT - height} width="1.5" height={height} />
      })}
    </svg>
  )
}
