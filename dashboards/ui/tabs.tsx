'use client'

import { type KeyboardEvent, type MouseEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import { formatCount } from '../../lib/format'
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
  readonly tools?: ReactNode
  readonly children: ReactNode
}

/** Tabs by the ARIA pattern: one tab stop; arrows, Home and End move and select. */
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

interface LinkTab<Id extends string> extends Tab<Id> {
  readonly href: string
  /** Shown unless it is 0; `null` until it is read. */
  readonly count?: number | null
}

interface LinkTabsProps<Id extends string> {
  readonly label: string
  readonly tabs: readonly LinkTab<Id>[]
  /** `null` when the address names none of them. */
  readonly current: Id | null
  readonly onChoose: (id: Id) => void
}

/** A line of links to the lists of one page. A plain click changes the address without loading the page again. */
export function LinkTabs<Id extends string>({ label, tabs, current, onChoose }: LinkTabsProps<Id>) {
  const line = useCurrentInSight(
    `${current} ${tabs.map((tab) => tab.id).join()} ${tabs.some((tab) => tab.count === null)}`,
  )
  const choose = (id: Id) => (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onChoose(id)
  }
  return (
    <nav ref={line} aria-label={label} className={styles.links}>
      {tabs.map(({ id, href, label: name, count }) => (
        <a
          key={id}
          href={href}
          aria-current={id === current ? 'page' : undefined}
          data-tab={id}
          data-none={count === 0}
          onClick={choose(id)}
        >
          {name}{' '}
          {count !== undefined && count !== null && count > 0 && (
            <span className={styles.count}>{formatCount(count)}</span>
          )}
        </a>
      ))}
    </nav>
  )
}

/** Scrolls the current link into sight on a narrow screen, when `dependency` changes; `null` before it is known. */
export function useCurrentInSight(dependency: string | null): RefObject<HTMLElement | null> {
  const line = useRef<HTMLElement>(null)
  useEffect(() => {
    const here = dependency === null ? null : line.current?.querySelector<HTMLElement>('[aria-current]')
    if (line.current === null || !here) return
    const box = line.current.getBoundingClientRect()
    const { left, right } = here.getBoundingClientRect()
    if (left < box.left || right > box.right) line.current.scrollLeft += left - box.left
  }, [dependency])
  return line
}
