'use client'

import { useState } from 'react'
import styles from './attribute-table.module.css'
import { printable, printableValue } from './printable'
import { Breakable } from './received'

export type Attributes = Readonly<Record<string, unknown>>

interface AttributeTableProps {
  readonly name: string
  readonly attributes: Attributes
  /** How many the SDK left out. */
  readonly dropped?: number
}

/** More attributes than this have a filter. */
const MOST_WITHOUT_FILTER = 5

/** Attributes with a heading, by name. */
export function AttributeTable({ name, attributes, dropped = 0 }: AttributeTableProps) {
  const [filter, setFilter] = useState('')
  const total = Object.keys(attributes).length
  if (total === 0 && dropped === 0) return <p className="small faint">No {name.toLowerCase()}.</p>
  const shown = filterAttributes(attributes, filter)
  return (
    <section className={styles.attributes} aria-label={name}>
      <div className={styles.line}>
        <h3>{name}</h3>
        {total > MOST_WITHOUT_FILTER && (
          <input
            className="field"
            type="search"
            aria-label={`Filter ${name.toLowerCase()}`}
            placeholder="name or value …"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        )}
      </div>
      <AttributeRows attributes={shown} />
      {shown.length === 0 && total > 0 && <p className="small faint">No match among {total} attributes.</p>}
      <DroppedNote dropped={dropped} />
    </section>
  )
}

/** Attributes without a heading, by name. */
export function PlainAttributes({ attributes, dropped = 0 }: Omit<AttributeTableProps, 'name'>) {
  return (
    <div className={styles.attributes}>
      <AttributeRows attributes={filterAttributes(attributes, '')} />
      <DroppedNote dropped={dropped} />
    </div>
  )
}

function AttributeRows({ attributes }: { readonly attributes: readonly Attribute[] }) {
  if (attributes.length === 0) return null
  return (
    <table>
      <tbody>
        {attributes.map(({ key, text }) => (
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
  )
}

function DroppedNote({ dropped }: { readonly dropped: number }) {
  if (dropped === 0) return null
  return <p className="small soft">The SDK left out {dropped} more.</p>
}

interface Attribute {
  readonly key: string
  readonly text: string
}

/** Attributes as text, sorted by name. A filter keeps those whose name or value contains it. */
export function filterAttributes(attributes: Attributes, filter: string): readonly Attribute[] {
  const needle = filter.trim().toLowerCase()
  return Object.entries(attributes)
    .map(([key, value]) => ({ key: printable(key), text: attributeText(value) }))
    .filter(({ key, text }) => `${key}\n${text}`.toLowerCase().includes(needle))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Text keeps its lines: it may be a stack trace. */
const attributeText = (value: unknown): string => printableValue(value, typeof value === 'string' ? 'lines' : 'line')
