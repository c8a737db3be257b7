'use client'

import type { RefObject } from 'react'
import { splitQuery } from '../../lib/filter/tokens'
import { formatCount } from '../../lib/format'
import type { LeftOut } from '../../lib/wire/values'
import { FACETS, type Facet, FacetButton } from './facets'
import { Glyph } from './glyph'
import { LazyMenu } from './lazy-menu'
import styles from './list-bar.module.css'
import { LiveControls } from './live-controls'
import menu from './menu.module.css'
import type { MenuAction } from './more-menu'
import { QueryField } from './query-field'
import { withoutKey } from './query-terms'
import { useSizeProperty } from './size-property'
import type { LiveList } from './use-live-list'
import { useStatus } from './use-status'

interface ListBarProps {
  readonly noun: string
  readonly hint: string
  readonly live: LiveList<unknown>
  /** Facets before those of the list. */
  readonly facets: readonly Facet[]
  readonly field: RefObject<HTMLInputElement | null>
  readonly actions: readonly MenuAction[] | undefined
  readonly onReveal: () => void
}

const loadViews = () => import('./views-menu').then(({ ViewsMenu }) => ViewsMenu)
const loadMore = () => import('./more-menu').then(({ MoreMenu }) => MoreMenu)

const VIEWS = (
  <button type="button" className={menu.trigger}>
    Views
    <Glyph name="older" />
  </button>
)
const MORE = (
  <button type="button" className={menu.trigger} aria-label="More">
    <Glyph name="more" />
  </button>
)

const NO_ACTIONS: readonly MenuAction[] = []

/** The bar above a list: query field, facets, counts, own telemetry, new rows, pause, views and clearing. */
export function ListBar({ noun, hint, live, facets, field, actions = NO_ACTIONS, onReveal }: ListBarProps) {
  const { querying, list, leftOut, newRows } = live
  const { query, change } = querying
  // The bar may wrap; the headings of the table stick below it.
  const bar = useSizeProperty<HTMLElement>('--bar-height', 'blockSize')
  const isReadOnly = useStatus()?.status.shown != null
  const clear = (): void => {
    change('', 'step')
    field.current?.focus()
  }
  return (
    <search ref={bar} className={styles.bar} aria-label={`Filter ${noun}`}>
      <QueryField noun={noun} hint={hint} querying={querying} kind={live.kind} field={field} />
      <div className={styles.facets}>
        {[...facets, ...FACETS[querying.list]].map((facet) => (
          <FacetButton
            key={facet.key}
            facet={facet}
            noun={noun}
            list={querying.list}
            kind={live.kind}
            query={query}
            onChange={(next) => change(next, 'step')}
          />
        ))}
      </div>
      <div className={styles.end}>
        {list.loaded && (
          <span className={styles.count} role="status" data-count="shown">
            {shownText(list.rows.length, leftOut)}
          </span>
        )}
        {query !== '' && (
          <button type="button" className={`link-button ${styles.clear}`} onClick={clear}>
            clear
          </button>
        )}
        {leftOut !== null && <OwnSwitch leftOut={leftOut} query={query} onChange={(next) => change(next, 'step')} />}
        <LiveControls
          noun="rows"
          newCount={newRows}
          isAtLeast={list.gap !== null}
          onReveal={onReveal}
          isPaused={live.isPaused}
          onPause={live.pause}
        />
        <LazyMenu load={loadViews} menu={{ button: VIEWS }} />
        {!isReadOnly && <LazyMenu load={loadMore} menu={{ button: MORE, actions }} />}
      </div>
    </search>
  )
}

/** `214 shown`; without rows also how many the query hides. */
export function shownText(shown: number, leftOut: LeftOut | null): string {
  const hidden = shown === 0 ? (leftOut?.hidden ?? 0) : 0
  return hidden === 0 ? `${formatCount(shown)} shown` : `0 shown, ${formatCount(hidden)} hidden by filters`
}

interface OwnSwitchProps {
  readonly leftOut: LeftOut
  readonly query: string
  readonly onChange: (query: string) => void
}

/** Shows telemetry of Waystation's own app, which is hidden unless the query says otherwise. */
function OwnSwitch({ leftOut: { own, ownIsAtLeast }, query, onChange }: OwnSwitchProps) {
  const isShown = splitQuery(query).some(({ key, value }) => key === 'own' && value !== 'hide')
  if (own === 0 && !isShown) return null
  return (
    <button
      type="button"
      className={styles.own}
      aria-pressed={isShown}
      title="Telemetry of Waystation’s own app"
      onClick={() => onChange(`${withoutKey(query, 'own')}${isShown ? '' : ' own:show'}`)}
    >
      own {formatCount(own)}
      {ownIsAtLeast && '+'}
    </button>
  )
}
