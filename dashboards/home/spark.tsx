import styles from './spark.module.css'

const WIDTH = 88
const HEIGHT = 30
const EDGE = 3

/** A line over time without axes; the last value has a dot. @param label the same as words */
export function Spark({ values, label }: { readonly values: readonly (number | null)[]; readonly label: string }) {
  const points = pointsOf(values)
  const last = points.at(-1)
  return (
    <svg className={styles.spark} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      <path className={styles.base} d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      {last !== undefined && (
        <>
          <path
            className={styles.line}
            d={`M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`}
          />
          <circle className={styles.dot} cx={last.x} cy={last.y} r="2" />
        </>
      )}
    </svg>
  )
}

/** The points of a line; times without a value are left out. */
export function pointsOf(values: readonly (number | null)[]): readonly { readonly x: number; readonly y: number }[] {
  const most = Math.max(0, ...values.map((value) => value ?? 0))
  const step = (WIDTH - 2 * EDGE) / Math.max(1, values.length - 1)
  const right = WIDTH - EDGE - (values.length - 1) * step
  return values.flatMap((value, at) =>
    value === null
      ? []
      : [{ x: right + at * step, y: HEIGHT - EDGE - (most === 0 ? 0 : (value / most) * (HEIGHT - 2 * EDGE)) }],
  )
}
