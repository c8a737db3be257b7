import { formatCount } from '../../lib/format'
import type { Overview } from '../../lib/wire/overview'
import styles from './counts.module.css'

const SHOWN = [
  { key: 'envelopes', label: 'envelopes', href: '/envelopes' },
  { key: 'traces', label: 'traces', href: '/traces' },
  { key: 'spans', label: 'spans', href: null },
  { key: 'errors', label: 'errors', href: '/events' },
  { key: 'refused', label: 'refused', href: '/losses' },
] as const

const MEANS: Partial<Record<keyof Overview['counts'], string>> = {
  refused: 'Turned away at the endpoint: a DSN that is not configured, too big, or broken.',
}

/** The numbers of what was recorded, counting on. */
export function Counts({ counts }: { readonly counts: Overview['counts'] | null }) {
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
