'use client'

import { CSPProvider } from '@base-ui/react/csp-provider'
import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { formatCount } from '../../lib/format'
import { Glyph } from './glyph'
import type { MenuButton } from './lazy-menu'
import styles from './menu.module.css'
import { printable } from './printable'
import { hasTerm, offeredTerm, toggleTerm } from './query-terms'
import { type CountedRows, offeredValues, useValueCounts } from './value-counts'

export interface FacetMenuProps extends CountedRows {
  readonly facetKey: string
  readonly button: MenuButton
  readonly noun: string
  readonly onChange: (query: string) => void
}

/** A menu of the values of a key with their counts; choosing one adds its term to the query or removes it. */
export function FacetMenu({ facetKey: key, button, noun, onChange, ...rows }: FacetMenuProps) {
  const [isOpen, setOpen] = useState(true)
  const counts = useValueCounts(rows, isOpen ? key : null)
  return (
    <CSPProvider disableStyleElements>
      <Menu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
        <Menu.Trigger render={button} />
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
    </CSPProvider>
  )
}
