'use client'

import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import styles from './tabs.module.css'

export interface Tab<Id extends string> {
  readonly id: Id
  readonly label: ReactNode
}

interface TabsProps<Id extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Id>[]
  readonly current: Id
  readonly onChange: (id: Id) => void
  /** At the end of the line of tabs. */
  readonly tools?: ReactNode
  readonly children: ReactNode
}

/** Tabs after the ARIA pattern: one stop for Tab, arrows, Home and End move and show. */
export function Tabs<Id extends string>({ label, tabs, current, onChange, tools, children }: TabsProps<Id>) {
  const base = useId()
  const list = useRef<HTMLDivElement>(null)
  const at = tabs.findIndex((tab) => tab.id === current)
  const move = (event: KeyboardEvent): void => {
    const next = nextTab(event.key, at, tabs.length)
    const tab = next === null ? undefined : tabs[next]
    if (next === null || tab === undefined) return
    event.preventDefault()
    onChange(tab.id)
    list.current?.querySelectorAll<HTMLButtonElement>('[role=tab]')[next]?.focus()
  }
  return (
    <div className={styles.tabs}>
      <div className={styles.line}>
        <div role="tablist" aria-label={label} ref={list} className={styles.list}>
          {tabs.map((tab) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`${base}-${tab.id}`}
              aria-selected={tab.id === current}
              aria-controls={`${base}-panel`}
              tabIndex={tab.id === current ? 0 : -1}
              onClick={() => onChange(tab.id)}
              onKeyDown={move}
            >
              {tab.label}
            </button>
          ))}
        </div>
        {tools}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${current}`} className={styles.panel}>
        {children}
      </div>
    </div>
  )
}

function nextTab(key: string, at: number, count: number): number | null {
  if (key === 'ArrowRight') return (at + 1) % count
  if (key === 'ArrowLeft') return (at - 1 + count) % count
  if (key === 'Home') return 0
  if (key === 'End') return count - 1
  return null
}

/**
 * On a narrow screen a line of links scrolls sideways: the one that is current must be among those in sight.
 * @param where what decides which of them it is, and where; `null` before that is known
 */
export function useCurrentInSight(where: string | null): RefObject<HTMLElement | null> {
  const line = useRef<HTMLElement>(null)
  useEffect(() => {
    const here = where === null ? null : line.current?.querySelector<HTMLElement>('[aria-current]')
    if (line.current === null || !here) return
    const box = line.current.getBoundingClientRect()
    const { left, right } = here.getBoundingClientRect()
    if (left < box.left || right > box.right) line.current.scrollLeft += left - box.left
  }, [where])
  return line
}
