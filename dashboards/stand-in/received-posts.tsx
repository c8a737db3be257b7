import { formatBytes } from '../../lib/format'
import type { StandInState } from '../../lib/wire/stand-in'
import { TableHead } from '../ui/board'
import { client } from '../ui/client'
import { Age } from '../ui/clock'
import table from '../ui/plain-table.module.css'
import { printable } from '../ui/printable'
import { HAS_LAB } from '../ui/standalone'
import styles from './stand-in-board.module.css'

const SHOWN = 50

export function ReceivedPosts({ received }: { readonly received: StandInState['received'] }) {
  return (
    <section className={styles.section} aria-labelledby="received">
      <h2 id="received">Received posts</h2>
      {received.length === 0 ? (
        <p className="small soft">Nothing yet. {HAS_LAB && <a href="/lab">Cause something in the lab.</a>}</p>
      ) : (
        <table className={table.table} aria-labelledby="received">
          <TableHead columns={['Post', 'When', 'Categories', 'Answer', 'Size', 'Bytes']} />
          <tbody>
            {received.slice(0, SHOWN).map(({ n, at, categories, status, bytes, sha256 }) => (
              <tr key={n} data-post={n}>
                <th scope="row" data-column="Post" className="num">
                  {n}
                </th>
                <td data-column="When">
                  <Age atMs={at} ago />
                </td>
                <td data-column="Categories">
                  <span className="mono">{categories.length === 0 ? '–' : printable(categories.join(', '))}</span>
                </td>
                <td data-column="Answer" className="num">
                  {status ?? 'none'}
                </td>
                <td data-column="Size" className="num" title={`sha256 ${sha256}`}>
                  {formatBytes(bytes)}
                </td>
                <td data-column="Bytes">
                  <a href={client.receivedUrl(n)} download={`post-${n}.envelope`} aria-label={`Bytes of post ${n}`}>
                    download
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
