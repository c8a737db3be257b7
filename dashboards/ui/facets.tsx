'use client'

import type { QueryList } from '../../lib/filter/keys'
import { splitQuery } from '../../lib/filter/tokens'
import { formatCount } from '../../lib/format'
import type { FacetMenuProps } from './facet-menu'
import { Glyph } from './glyph'
import { LazyMenu } from './lazy-menu'
import styles from './menu.module.css'
import { printable } from './printable'

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

type FacetButtonProps = Omit<FacetMenuProps, 'facetKey' | 'button'> & { readonly facet: Facet }

const load = () => import('./facet-menu').then(({ FacetMenu }) => FacetMenu)

/** A facet with what is chosen of it; opens the menu of its values. */
export function FacetButton({ facet: { key, label }, ...menu }: FacetButtonProps) {
  const chosen = splitQuery(menu.query).filter((token) => token.key === key)
  const [first] = chosen
  const button = (
    <button type="button" className={styles.trigger} data-facet={key} data-set={first !== undefined}>
      {label}
      {first !== undefined && (
        <bdi className={styles.chosen}>
          {chosen.length > 1 ? formatCount(chosen.length) : printable(first.source.replace(`${key}:`, ''))}
        </bdi>
      )}
      <Glyph name="older" />
    </button>
  )
  return <LazyMenu load={load} menu={{ ...menu, facetKey: key, button }} />
}
