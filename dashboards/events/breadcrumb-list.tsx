import type { Breadcrumb } from '../../lib/wire/event'
import { printable, printableValue } from '../ui/printable'
import { formatDateTime, formatOffset } from '../ui/times'
import styles from './breadcrumb-list.module.css'

interface BreadcrumbListProps {
  readonly breadcrumbs: readonly Breadcrumb[]
  /** Times are shown relative to this one. */
  readonly originUs: number
  /** Names that time, for the accessible name: `the error`. */
  readonly origin: string
  readonly none: string
}

export function BreadcrumbList({ breadcrumbs, originUs, origin, none }: BreadcrumbListProps) {
  if (breadcrumbs.length === 0) return <p className="small soft">{none}</p>
  return (
    <table className={styles.breadcrumbs} aria-label={`Breadcrumbs, oldest first; times from ${origin}`}>
      <tbody>
        {breadcrumbs.map((breadcrumb) => (
          <tr key={`${breadcrumb.eventId} ${breadcrumb.index}`} data-level={breadcrumb.level}>
            <td className={styles.time} title={titleOf(breadcrumb.timestampUs)}>
              {breadcrumb.timestampUs === null ? '–' : formatOffset(breadcrumb.timestampUs - originUs)}
            </td>
            <th scope="row">
              {printable(breadcrumb.category ?? breadcrumb.type ?? 'default')}
              {breadcrumb.level !== null && breadcrumb.level !== 'info' && (
                <span className={styles.level}> {printable(breadcrumb.level)}</span>
              )}
            </th>
            <td>
              {breadcrumb.message !== null && <bdi>{printable(breadcrumb.message)}</bdi>}
              {breadcrumb.data !== null && <bdi className={styles.data}>{printableValue(breadcrumb.data)}</bdi>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const titleOf = (us: number | null): string | undefined => (us === null ? undefined : formatDateTime(us / 1000))
