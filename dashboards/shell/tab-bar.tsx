'use client'

import { Icon } from '../ui/glyph'
import { ENTRIES, type Entry } from './entries'
import styles from './tab-bar.module.css'

const TABS: readonly { readonly path: string; readonly name: string }[] = [
  { path: '/', name: 'Live' },
  { path: '/traces', name: 'Traces' },
  { path: '/errors', name: 'Errors' },
  { path: '/deliveries', name: 'Delivery' },
]

interface TabBarProps {
  readonly current: Entry | null
  readonly onMore: () => void
}

/** The navigation of a narrow screen; `More` opens the palette, which lists all boards. */
export function TabBar({ current, onMore }: TabBarProps) {
  return (
    <nav className={styles.tabs} aria-label="Boards">
      {TABS.map(({ path, name }) => (
        <a key={path} href={path} aria-current={current?.path === path ? 'page' : undefined}>
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
