'use client'

import { type ReactNode, useState } from 'react'
import { formatCount } from '../../../lib/format'
import type { TreeSpan } from '../../../lib/protocol/trace/span-tree'
import type { TimeTree } from '../../../lib/protocol/trace/time-tree'
import { seriesOf } from '../../ui/labels'
import styles from './view-frame.module.css'

interface ViewFrameProps {
  /** Controls and a sentence above the content, which stay in place. */
  readonly bar: ReactNode
  readonly children: ReactNode
}

/** A view of a trace that scrolls below its bar. */
export function ViewFrame({ bar, children }: ViewFrameProps) {
  return (
    <div className={styles.view}>
      <div className={styles.bar}>{bar}</div>
      <div className={styles.content}>{children}</div>
    </div>
  )
}

/** Why a view is empty, and what fills it. */
export const EmptyView = ({ children }: { readonly children: ReactNode }) => <p className={styles.none}>{children}</p>

/** Rows that a table of a view shows at first, and adds by a click. */
export const ROWS_SHOWN = 500

/** The first rows of a list, and a button that shows more, unless all are shown. */
export function useFirstRows<Row>(rows: readonly Row[]): readonly [readonly Row[], ReactNode] {
  const [most, setMost] = useState(ROWS_SHOWN)
  const more = rows.length > most && (
    <button type="button" className="button" onClick={() => setMost(most + ROWS_SHOWN)}>
      Show {formatCount(Math.min(ROWS_SHOWN, rows.length - most))} more of {formatCount(rows.length - most)}
    </button>
  )
  return [rows.slice(0, most), more && <p className={styles.more}>{more}</p>]
}

/** Custom properties for a style sheet. React sets them by script, because the CSP forbids style attributes. */
export const properties = (values: Readonly<Record<`--${string}`, number | string>>) => values

/** The custom property `--c`: the colour of a service. */
export const colour = (service: string) => ({ '--c': `var(--series-${seriesOf(service)})` }) as const

/** A share in whole per cent: `13 %`, `< 1 %`. */
export function percentText(share: number): string {
  const percent = Math.round(share * 100)
  return percent === 0 && share > 0 ? '< 1 %' : `${percent} %`
}

/** A tree without the spans that a view leaves out. A span whose parent is left out becomes a root. */
export function treeWithin<Span extends TreeSpan>(
  tree: TimeTree<Span>,
  within: ReadonlySet<string> | null,
): TimeTree<Span> {
  if (within === null) return tree
  const positions = new Map<number, number>()
  const nodes = tree.nodes.filter(({ span }, index) => {
    const isKept = within.has(span.spanId)
    if (isKept) positions.set(index, positions.size)
    return isKept
  })
  const parents = [...positions.keys()].map((index) => positions.get(tree.parents[index] ?? -1) ?? -1)
  return { ...tree, nodes, parents }
}
