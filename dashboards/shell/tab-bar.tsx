'use client'

import { Icon } from '../ui/glyph'
import { ENTRIES, type Entry, GROUPS } from './entries'
import styles from './tab-bar.module.css'

const TABS: readonly { readonly path: string; readonly name: string }[] = [
  { path: '/', name: 'Live' },
  { path: '/traces', name: 'Traces' },
  { path: '/errors', name: 'Errors' },
  { path: '/deliveries', name: 'Delivery' },
]

/** A tab with the name of a group is current on all its boards. */
const isInGroup = (current: Entry | null, name: string): boolean =>
  GROUPS.some((group) => group.name === name && group.entries.some(({ path }) => path === current?.path))

interface TabBarProps {
  readonly current: Entry | null
  readonly onMore: () => void
}

/** The navigation of a narrow screen; `More` opens the palette, which lists all boards. */
export function TabBar({ current, onMore }: TabBarProps) {
  return (
    <nav className={styles.tabs} aria-label="Boards">
      {TABS.map(({ path, name }) => (
        <a
          key={path}
          href={path}
          aria-current={current?.path === path ? 'page' : isInGroup(current, name) || undefined}
        >
          <Icon name={ENTRIES.find((entry) => entry.path === path)?.icon ?? 'more'} />
          {name}
        </a>
      ))}
      <button type="button" onClick={onMore}>
        <Icon name="more" />
        More
      </button>
    </nav>
  )
}
