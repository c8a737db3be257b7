import { formatBytes, formatCount } from '../../lib/format'
import type { StoreUsage } from '../../lib/wire/store'
import { TableHead } from '../ui/board'
import { Age } from '../ui/clock'
import table from '../ui/plain-table.module.css'
import { printable } from '../ui/printable'
import { Section } from '../ui/section'
import styles from './storage-board.module.css'
import { ownerText, partitionStateText, seenText } from './store-text'

/** The oldest partitions, of which the first is the next to be dropped. */
export function Partitions({ partitions }: Pick<StoreUsage, 'partitions'>) {
  const { count, oldest } = partitions
  return (
    <>
      <table className={table.table} aria-label="Partitions">
        <TableHead columns={['Numbers', 'Size', 'Oldest record', 'State']} />
        <tbody>
          {oldest.map(({ first, last, bytes, oldestAt, newestAt, state }) => (
            <tr key={first} data-partition={state}>
              <th scope="row" className="num" data-column="Numbers">
                {formatCount(first)} to {formatCount(last)}
              </th>
              <td className="num" data-column="Size">
                {formatBytes(bytes)}
              </td>
              <td data-column="Oldest record">{oldestAt === null ? 'none' : <Age atMs={oldestAt} ago />}</td>
              <td data-column="State">{partitionStateText({ state, newestAt })}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {count > oldest.length && <p className="soft">and {formatCount(count - oldest.length)} newer ones</p>}
    </>
  )
}

/** The collectors of a record, the last seen first. */
export function Collectors({ collectors }: Pick<StoreUsage, 'collectors'>) {
  const { count, list } = collectors
  return (
    <Section id="collectors" title="Collectors" className={styles.section}>
      <table className={table.table} aria-labelledby="collectors">
        <TableHead columns={['Host and process', 'Last seen', 'Task']} />
        <tbody>
          {list.map(({ name, isOwn, seenMs, isHousekeeper }, at) => (
            <tr key={`${name} ${at}`} data-collector={isOwn ? 'this' : 'other'}>
              <th scope="row" data-column="Host">
                <span>
                  <bdi>{printable(name)}</bdi> {isOwn && <span className="faint">this one</span>}
                </span>
              </th>
              <td data-column="Last seen">{seenText(seenMs)}</td>
              <td data-column="Task">{isHousekeeper ? 'housekeeping' : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {count > list.length && <p className="soft">and {formatCount(count - list.length)} more within a day</p>}
    </Section>
  )
}

/** Which collector delivers to which upstream. */
export function Lanes({ lanes }: Pick<StoreUsage, 'lanes'>) {
  return (
    <Section id="lanes" title="Lanes" className={styles.section}>
      {lanes.length === 0 ? (
        <p className="soft">No upstream has a lane: nothing is relayed.</p>
      ) : (
        <table className={table.table} aria-labelledby="lanes">
          <TableHead columns={['Upstream', 'Lane', 'Relayed by']} />
          <tbody>
            {lanes.map((lane) => (
              <tr key={`${lane.key} ${lane.project} ${lane.lane}`} data-lane={lane.owner === null ? 'free' : 'owned'}>
                <th scope="row" data-column="Upstream">
                  <span>
                    project <bdi>{printable(lane.project)}</bdi>, key <bdi className="mono">{printable(lane.key)}</bdi>
                  </span>
                </th>
                <td className="num" data-column="Lane">
                  {lane.lane}
                </td>
                <td data-column="Relayed by">{printable(ownerText(lane))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}
