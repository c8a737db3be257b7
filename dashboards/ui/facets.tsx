'use client'

import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import type { QueryList } from '../../lib/filter/keys'
import { splitQuery } from '../../lib/filter/tokens'
import { formatCount } from '../../lib/format'
import { Glyph } from './glyph'
import styles from './menu.module.css'
import { printable } from './printable'
import { hasTerm, offeredTerm, toggleTerm } from './query-terms'
import { type CountedRows, offeredValues, useValueCounts } from './value-counts'

/** A key above a list, with its heading. */
export interface Facet {
  readonly key: string
  readonly label: string
}

const ABOUT: readonly Facet[] = [
  { key: 'service', label: 'Service' },
  { key: 'environment', label: 'Environment' },
  { key: 'release', label: 'Release' },
]
const TIME: Facet = { key: 'time', label: 'Time' }

/** The facets of each list. Signals without a level have no facet for it. */
export const FACETS: Readonly<Record<QueryList, readonly Facet[]>> = {
  traces: [
    { key: 'status', label: 'Status' },
    { key: 'op', label: 'Operation' },
    ...ABOUT,
    { key: 'duration', label: 'Duration' },
    TIME,
  ],
  segments: [],
  events: [{ key: 'level', label: 'Level' }, { key: 'handled', label: 'Handled' }, ...ABOUT, TIME],
  errors: [{ key: 'handled', label: 'Handled' }, { key: 'level', label: 'Level' }, ...ABOUT, TIME],
  signals: [...ABOUT, TIME],
  envelopes: [
    { key: 'type', label: 'Item type' },
    { key: 'endpoint', label: 'Endpoint' },
    { key: 'delivery', label: 'Delivery' },
    { key: 'environment', label: 'Environment' },
    TIME,
  ],
  deliveries: [{ key: 'status', label: 'Answer' }, { key: 'upstream', label: 'Upstream' }, TIME],
}

interface FacetMenuProps extends CountedRows {
  readonly facet: Facet
  readonly noun: string
  readonly onChange: (query: string) => void
}

/** A menu of the values of a key with their counts; choosing one adds its term to the query or removes it. */
export function FacetMenu({ facet: { key, label }, noun, onChange, ...rows }: FacetMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const counts = useValueCounts(rows, isOpen ? key : null)
  const set = splitQuery(rows.query).filter((token) => token.key === key)
  const [first] = set
  return (
    <Menu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <Menu.Trigger className={styles.trigger} data-facet={key} data-set={first !== undefined}>
        {label}
        {first !== undefined && (
          <bdi className={styles.chosen}>
            {set.length > 1 ? formatCount(set.length) : printable(first.source.replace(`${key}:`, ''))}
          </bdi>
        )}
        <Glyph name="older" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={styles.place} sideOffset={4} align="start">
          <Menu.Popup className={styles.popup}>
            <Menu.Group>
              {counts !== null && (
                <Menu.GroupLabel className={styles.note}>
                  of the newest {formatCount(counts.rows)} {noun}
                </Menu.GroupLabel>
              )}
              {offeredValues(rows.list, key, counts).map(({ value, count }) => {
                const term = offeredTerm(key, value)
                const isChosen = hasTerm(rows.query, term)
                return (
                  <Menu.CheckboxItem
                    key={value}
                    className={styles.item}
                    checked={isChosen}
                    disabled={count === 0 && !isChosen}
                    onCheckedChange={() => onChange(toggleTerm(rows.query, key, term))}
                  >
                    <span className={styles.check}>{isChosen && <Glyph name="accepted" />}</span>
                    <bdi className={styles.text}>{printable(value)}</bdi>
                    {count !== null && <span className="num faint">{formatCount(count)}</span>}
                  </Menu.CheckboxItem>
                )
              })}
            </Menu.Group>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
