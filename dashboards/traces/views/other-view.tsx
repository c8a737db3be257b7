'use client'

import { type ComponentType, useEffect, useState } from 'react'
import type { Breadcrumb } from '../../../lib/wire/event'
import type { SignalRow } from '../../../lib/wire/signal'
import type { TraceData } from '../trace-data'
import type { TraceAnalysis } from '../use-analysis'
import type { TraceViewName } from '../use-trace-state'
import styles from './view-frame.module.css'

/** The properties of every view of a trace: its data, and how it selects a span. */
export interface ViewProps {
  readonly trace: TraceData
  readonly analysis: TraceAnalysis
  /** Distinct ones, oldest first. */
  readonly breadcrumbs: readonly Breadcrumb[]
  readonly signals: readonly SignalRow[]
  /** The only spans to show; `null` shows all. */
  readonly within: ReadonlySet<string> | null
  readonly selected: string | null
  /** Opens a span in the panel, in the present view. */
  readonly onSelect: (spanId: string) => void
  /** Shows a span in the waterfall. */
  readonly onReveal: (spanId: string) => void
}

type OtherViewName = Exclude<TraceViewName, 'waterfall'>

/** Each view is a file of its own, so that the first load of a trace has only the waterfall. */
const LOADERS: Readonly<Record<OtherViewName, () => Promise<ComponentType<ViewProps>>>> = {
  flame: () => import('./flame-view').then(({ FlameView }) => FlameView),
  operations: () => import('./operations-view').then(({ OperationsView }) => OperationsView),
  events: () => import('./events-view').then(({ EventsView }) => EventsView),
  map: () => import('./map-view').then(({ MapView }) => MapView),
  compare: () => import('./compare-view').then(({ CompareView }) => CompareView),
  json: () => import('./json-view').then(({ JsonView }) => JsonView),
}

interface OtherViewProps extends ViewProps {
  readonly view: OtherViewName
}

/** A view other than the waterfall. Its code is loaded when it is first shown. */
export function OtherView({ view, ...props }: OtherViewProps) {
  const [loaded, setLoaded] = useState<{ view: OtherViewName; View: ComponentType<ViewProps> | null } | null>(null)
  useEffect(() => {
    let isCurrent = true
    const show = (View: ComponentType<ViewProps> | null): void => {
      if (isCurrent) setLoaded({ view, View })
    }
    LOADERS[view]().then(show, () => show(null))
    return () => {
      isCurrent = false
    }
  }, [view])
  if (loaded?.view !== view) return <p className={styles.none}>Loading …</p>
  if (loaded.View === null)
    return <p className={styles.none}>The code of this view could not be loaded. Reload the page to try again.</p>
  return <loaded.View {...props} />
}
