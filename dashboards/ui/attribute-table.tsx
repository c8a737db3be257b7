'use client'

import { type ReactNode, useState } from 'react'
import styles from './attribute-table.module.css'
import { CopyButton, HoverTools } from './facts'
import { printable, printableValue } from './printable'
import { Breakable } from './received'

export type Attributes = Readonly<Record<string, unknown>>

interface AttributeTableProps {
  readonly name: string
  readonly attributes: Attributes
  /** How many the SDK left out. */
  readonly dropped?: number
  /** Buttons for an attribute, besides one that copies its value. Without them a row has none. */
  readonly tools?: (name: string, value: unknown) => ReactNode
}

/** More attributes than this have a filter. */
const MOST_WITHOUT_FILTER = 5

/** Attributes with a heading, by name. */
export function AttributeTable({ name, attributes, dropped = 0, tools }: AttributeTableProps) {
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
      <AttributeRows attributes={shown} tools={tools} />
      {shown.length === 0 && total > 0 && <p className="small faint">No match among {total} attributes.</p>}
      <DroppedNote dropped={dropped} />
    </section>
  )
}

/** Attributes without a heading, by name. */
export function PlainAttributes({ attributes, dropped = 0 }: Omit<AttributeTableProps, 'name' | 'tools'>) {
  return (
    <div className={styles.attributes}>
      <AttributeRows attributes={filterAttributes(attributes, '')} />
      <DroppedNote dropped={dropped} />
    </div>
  )
}

interface AttributeRowsProps {
  readonly attributes: readonly Attribute[]
  readonly tools?: AttributeTableProps['tools'] | undefined
}

function AttributeRows({ attributes, tools }: AttributeRowsProps) {
  if (attributes.length === 0) return null
  return (
    <table>
      <tbody>
        {attributes.map(({ name, value, key, text }) => (
          <tr key={name}>
            <th scope="row">
              <Breakable name={key} />
            </th>
            <td>
              <div className={styles.value}>
                <Value value={value} text={text} />
                {tools !== undefined && (
                  <HoverTools>
                    {tools(name, value)}
                    <CopyButton quiet text={plainValue(value)} label={`the value of ${key}`} />
                  </HoverTools>
                )}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A longer text, and a nested value of more than one line of the panel, is folded. */
const FOLDED = { lines: 8, characters: 300, nested: 60 } as const

function Value({ value, text }: Pick<Attribute, 'value' | 'text'>) {
  const isNested = typeof value === 'object' && value !== null
  const isLong = text.split('\n').length > FOLDED.lines || text.length > FOLDED.characters
  if (!isLong && !(isNested && text.length > FOLDED.nested)) return <bdi>{text}</bdi>
  const [first = ''] = text.split('\n')
  return (
    <details>
      <summary>
        <bdi>{first.slice(0, FOLDED.nested)} …</bdi>
      </summary>
      <bdi>{printableValue(value, 'lines')}</bdi>
    </details>
  )
}

/** A value as it was received. */
const plainValue = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value))

function DroppedNote({ dropped }: { readonly dropped: number }) {
  if (dropped === 0) return null
  return <p className="small soft">The SDK left out {dropped} more.</p>
}

interface Attribute {
  /** As received. */
  readonly name: string
  readonly value: unknown
  /** The name as text that disguises nothing. */
  readonly key: string
  readonly text: string
}

/** Attributes as text, sorted by name. A filter keeps those whose name or value contains it. */
export function filterAttributes(attributes: Attributes, filter: string): readonly Attribute[] {
  const needle = filter.trim().toLowerCase()
  return Object.entries(attributes)
    .map(([name, value]) => ({ name, value, key: printable(name), text: attributeText(value) }))
    .filter(({ key, text }) => `${key}\n${text}`.toLowerCase().includes(needle))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Text keeps its lines: it may be a stack trace. */
const attributeText = (value: unknown): string => printableValue(value, typeof value === 'string' ? 'lines' : 'line')
