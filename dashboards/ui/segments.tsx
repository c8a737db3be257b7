import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format'
import styles from './segments.module.css'

interface Segment<Id extends string> {
  readonly id: Id
  readonly label: string
  /** `null` until it is read. */
  readonly count?: number | null
}

interface SegmentsProps<Id extends string> {
  readonly label: string
  readonly segments: readonly Segment<Id>[]
  readonly current: Id
  readonly onChange: (id: Id) => void
}

/** Chooses one view of a section. */
export function Segments<Id extends string>({ label, segments, current, onChange }: SegmentsProps<Id>) {
  return (
    <fieldset className={styles.segments} aria-label={label}>
      {segments.map((segment) => (
        <button
          key={segment.id}
          type="button"
          aria-pressed={segment.id === current}
          onClick={() => onChange(segment.id)}
        >
          <Label {...segment} />
        </button>
      ))}
    </fieldset>
  )
}

interface LinkSegmentsProps<Id extends string> {
  readonly label: string
  readonly segments: readonly (Segment<Id> & { readonly href: string })[]
  readonly current: Id
}

/** Chooses one of several pages, or one view of a list that its address names. */
export function LinkSegments<Id extends string>({ label, segments, current }: LinkSegmentsProps<Id>) {
  return (
    <nav className={styles.segments} aria-label={label}>
      {segments.map(({ href, ...segment }) => (
        <a key={segment.id} href={href} aria-current={segment.id === current ? 'page' : undefined}>
          <Label {...segment} />
        </a>
      ))}
    </nav>
  )
}

const Label = ({ label, count }: Pick<Segment<string>, 'label' | 'count'>): ReactNode => (
  <>
    {label}
    {count != null && <span className={styles.count}> {formatCount(count)}</span>}
  </>
)
