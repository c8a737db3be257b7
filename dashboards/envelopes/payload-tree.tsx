'use client'

import { useId, useState } from 'react'
import { formatCount } from '../../lib/format'
import { Glyph } from '../ui/glyph'
import { printable } from '../ui/printable'
import styles from './payload-tree.module.css'
import { cutString, ENTRIES_AT_ONCE, entriesOf, isOpenAtFirst, moreText, previewOf, sizeOf } from './tree-values'

/** A JSON value as a tree of entries, folded below the second level. */
export function PayloadTree({ value }: { readonly value: unknown }) {
  return (
    <div className={styles.tree} data-tree>
      {entriesOf(value) === null ? <Leaf value={value} /> : <Entries value={value} level={1} />}
    </div>
  )
}

interface EntriesProps {
  readonly value: unknown
  readonly level: number
  readonly id?: string
}

function Entries({ value, level, id }: EntriesProps) {
  const [shown, setShown] = useState(ENTRIES_AT_ONCE)
  const entries = entriesOf(value) ?? []
  const more = moreText(shown, entries.length)
  return (
    <ul id={id}>
      {entries.slice(0, shown).map(([key, child]) => (
        <Entry key={key} name={key} value={child} level={level} />
      ))}
      {more !== null && (
        <li>
          <button type="button" className={styles.more} onClick={() => setShown(shown + ENTRIES_AT_ONCE)}>
            {more}
          </button>
        </li>
      )}
    </ul>
  )
}

interface EntryProps {
  readonly name: string
  readonly value: unknown
  readonly level: number
}

function Entry({ name, value, level }: EntryProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst(level))
  const id = useId()
  const entries = entriesOf(value)
  if (entries === null || entries.length === 0)
    return (
      <li className={styles.leaf}>
        <span className={styles.key}>{printable(name)}:</span> <Leaf value={value} />
      </li>
    )
  return (
    <li>
      <button
        type="button"
        className={styles.fold}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Glyph name={isOpen ? 'older' : 'next'} />
        <span className={styles.key}>{printable(name)}:</span>{' '}
        <span className="cut faint">{isOpen ? sizeOf(value) : printable(previewOf(value))}</span>
      </button>
      {isOpen && <Entries value={value} level={level + 1} id={id} />}
    </li>
  )
}

function Leaf({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false)
  if (typeof value !== 'string')
    return <span className={styles.other}>{typeof value === 'object' ? previewOf(value) : String(value)}</span>
  const cut = cutString(value)
  return (
    <>
      <bdi className={styles.string}>{printable(cut === null || isWhole ? value : `${cut}…`, 'lines')}</bdi>
      {cut !== null && (
        <button type="button" className={styles.more} aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${formatCount(value.length)} characters`}
        </button>
      )}
    </>
  )
}
