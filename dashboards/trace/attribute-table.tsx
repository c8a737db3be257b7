'use client'

import { useState } from 'react'
import { Breakable } from '../ui/breakable'
import styles from './attribute-table.module.css'
import { filterAttributes } from './filter-attributes'

/** A span's attributes, with a filter where they are many. */
export function AttributeTable({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }) {
  const [filter, setFilter] = useState('')
  const total = Object.keys(attributes).length
  if (total === 0) return <p className="small faint">No attributes.</p>
  const shown = filterAttributes(attributes, filter)
  return (
    <section className={styles.attributes} aria-label="Attributes">
      <div className={styles.line}>
        <h3>Attributes</h3>
        {total > 5 && (
          <input
            className="field"
            type="search"
            aria-label="Filter attributes"
            placeholder="name or value …"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        )}
      </div>
      <table>
        <tbody>
          {shown.map(({ key, text }) => (
            <tr key={key}>
              <th scope="row">
                <Breakable name={key} />
              </th>
              <td>
                <bdi>{text}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p className="small faint">None of {total} holds this.</p>}
    </section>
  )
}
