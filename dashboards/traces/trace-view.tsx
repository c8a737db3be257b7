'use client'

import { type ReactNode, useMemo, useRef, useState } from 'react'
import { withMinimumDuration } from '../../lib/filter/minimum-duration'
import { formatCount, plural } from '../../lib/format'
import type { SignalRow } from '../../lib/wire/signal'
import { LinkTabs } from '../ui/tabs'
import { DetailPanel } from './detail-panel'
import { FindBar, type Switch } from './find-bar'
import { usePageFacts } from './page-facts'
import { usePageReports } from './page-reports'
import { firstWindow, fullWindow, type TimeWindow } from './time-axis'
import type { TraceData } from './trace-data'
import { longestStep, TraceHeading } from './trace-heading'
import { distinctBreadcrumbs, traceLanes } from './trace-lanes'
import styles from './trace-view.module.css'
import { idsAbove, inRowOrder, nodesBelow } from './tree-rows'
import { useAnalysis } from './use-analysis'
import { countMoved, useClocks } from './use-clocks'
import { useShownRows } from './use-shown-rows'
import { useTraceKeys } from './use-trace-keys'
import {
  ALL_FOLDED,
  CLOSED,
  type PanelPart,
  panelOf,
  type SwitchName,
  type TraceViewName,
  useTraceChoices,
  VIEWS,
  windowOf,
  withFold,
  zoomOf,
} from './use-trace-state'
import { OtherView } from './views/other-view'
import { Waterfall, type WaterfallHandle } from './waterfall'

interface TraceViewProps {
  readonly trace: TraceData
  readonly signals: readonly SignalRow[]
  /** Reads the spans of a segment that a limit left out. */
  readonly readSegment: (segmentId: string) => unknown
  readonly connection: ReactNode
}

/** A trace in several views, with one selection. Folds and zoom are kept by span id and time, so arriving spans change neither. */
export function TraceView({ trace: sent, signals, readSegment, connection }: TraceViewProps) {
  const { choices, change } = useTraceChoices()
  const { spanId, on, view } = choices
  const trace = useClocks(sent, on.has('clocks'))
  const { segments, spans, errors, summary } = trace
  const analysis = useAnalysis(trace)
  const { tree, nodes } = analysis
  const skewed = useMemo(() => (trace.isWhole ? countMoved(trace, tree) : 0), [trace, tree])
  const breadcrumbs = useMemo(() => distinctBreadcrumbs(trace.breadcrumbs), [trace.breadcrumbs])
  const page = usePageFacts(trace)
  const reports = usePageReports(trace)
  const full = useMemo(() => fullWindow(segments, spans, errors), [segments, spans, errors])
  const first = useMemo(() => firstWindow(segments, full), [segments, full])
  const window = windowOf(choices.zoom, first, full, summary.startUs)
  const [cursor, setCursor] = useState<string | null>(null)
  const at = cursor ?? spanId
  const waterfall = useRef<WaterfallHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  /** Index of the section of the critical path that was visited last. */
  const section = useRef(-1)

  const shown = useShownRows(trace, analysis, choices)
  const { search, problems, failedIds, slowIds, pathIds, groups, rows, path, main, found } = shown

  const matchOrder = useMemo(
    () => (search === null ? [] : inRowOrder(search.matches, tree, rows)),
    [search, tree, rows],
  )

  // A failed trace opens on its errors, where there is space beside its rows. Decided once, so that a later error does not
  // change the page.
  const [opensErrors] = useState(() => errors.length > 0 && !(globalThis.matchMedia?.(NARROW).matches ?? false))
  const part = panelOf(choices.show, spanId, opensErrors || spans.length === 0)
  // Beyond a limit the spans of a segment are read when it is opened.
  const isCut = trace.gaps.some(({ of }) => of === 'spans')
  const fold = (id: string, closed: boolean): void => {
    change({ folds: withFold(choices.folds, id, !closed) })
  }
  const select = (id: string): void => {
    setCursor(id)
    if (isCut && segments.some((segment) => segment.segmentId === id)) readSegment(id)
    change({ spanId: id, show: null })
  }
  const reveal = (id: string): void => {
    const folds = idsAbove(tree, groups, id).reduce((open, above) => withFold(open, above, true), choices.folds)
    change({ folds, ...(view !== 'waterfall' && { view: 'waterfall' }) })
    select(id)
    waterfall.current?.bring(id)
  }
  const showPart = (next: PanelPart): void => change({ show: next === 'span' && spanId !== null ? null : next })
  const close = (): boolean => {
    if (part === null) return false
    change({ spanId: null, show: opensErrors ? CLOSED : null })
    return true
  }
  const setWindow = (next: TimeWindow): void => change({ zoom: zoomOf(next, first, summary.startUs) })
  const unzoom = (): boolean => {
    change({ zoom: null })
    return choices.zoom !== null
  }
  const unfocus = (): boolean => {
    change({ focus: null })
    return choices.focus !== null
  }
  const toggle = (name: SwitchName): void => {
    const next = new Set(on)
    if (!next.delete(name)) next.add(name)
    change({ on: next })
  }
  /** Goes to the next or previous of these spans in the order of rows, from the cursor. */
  const step = (ids: ReadonlySet<string>, by: 1 | -1): boolean => {
    const sorted = ids === search?.matches ? matchOrder : inRowOrder(ids, tree, rows)
    const here = sorted.indexOf(at ?? '')
    const next = sorted[here < 0 ? (by > 0 ? 0 : sorted.length - 1) : here + by]
    if (next !== undefined) reveal(next)
    return sorted.length > 0
  }
  const stepOnPath = (by: 1 | -1): boolean => {
    if (main === null) return false
    const { sections } = main
    // A span may have several sections: the next one is that after the last visited.
    const isVisited = sections[section.current]?.spanId === at
    const here = isVisited ? section.current : sections.findIndex(({ spanId: id }) => id === at)
    const to = here < 0 ? (by > 0 ? 0 : sections.length - 1) : here + by
    const next = sections[to]
    if (next !== undefined) {
      section.current = to
      reveal(next.spanId)
    }
    return sections.length > 0
  }

  const longest = (): boolean => {
    const found = main === null ? null : longestStep(main)
    if (found !== null) reveal(found.spanId)
    return found !== null
  }
  const views = VIEWS.filter((name) => trace.file === undefined || !STORED_VIEWS.includes(name))

  useTraceKeys({
    // Other views have no cursor.
    rows: view === 'waterfall' ? rows : [],
    at: rows.findIndex((row) => row.id === at),
    window,
    full,
    setWindow,
    move: (id) => {
      waterfall.current?.bring(id)
      waterfall.current?.focus()
      setCursor(id)
      if (part === 'span' && nodes.has(id)) change({ spanId: id })
    },
    fold,
    open: (id) => (nodes.has(id) ? select(id) : fold(id, false)),
    close: () => close() || unzoom() || unfocus(),
    find: () => field.current?.focus(),
    stepError: (by) => step(failedIds, by),
    stepPath: stepOnPath,
    focus: (id) => change({ focus: choices.focus === id ? null : id }),
    toggleGroups: () => toggle('no-groups'),
    toggleMatches: () => toggle('only'),
    togglePath: () => toggle('path'),
    longest,
    view: (at) => {
      const name = views[at]
      if (name !== undefined) change({ view: name })
      return name !== undefined
    },
  })

  const lanes = traceLanes({
    trace,
    longTasks: analysis.longTasks,
    breadcrumbs,
    signals,
    vitals: page.vitals,
    reports,
    onSpan: reveal,
    onEvents: () => change({ view: 'events' }),
  })
  const counts = useMemo(() => summaryOf(spans.length, groups), [spans, groups])
  const switches: Switch[] = [
    {
      id: 'only',
      label: 'Only matches',
      isOn: on.has('only'),
      title: 'Hides what does not match, except the spans above a match (m)',
      onToggle: () => toggle('only'),
    },
    {
      id: 'errors',
      label: 'Errors',
      count: failedIds.size,
      isOn: on.has('errors'),
      title: 'Shows only failed spans, with those above them (e and E step through them)',
      onToggle: () => toggle('errors'),
    },
    {
      id: 'line',
      label: 'Critical path',
      isOn: !on.has('no-path'),
      title: 'Draws the line of spans that the trace waited for',
      onToggle: () => toggle('no-path'),
    },
    {
      id: 'path',
      label: 'Only the path',
      count: pathIds.size,
      isOn: on.has('path'),
      title: 'Shows only spans on the critical path (p; . and , step along it)',
      onToggle: () => toggle('path'),
    },
    {
      id: 'slow',
      label: 'Slow',
      count: slowIds.size,
      isOn: on.has('slow'),
      title: 'Shows only spans whose own time is at least 5 % of the trace',
      onToggle: () => toggle('slow'),
    },
    ...(skewed === 0
      ? []
      : [
          {
            id: 'clocks',
            label: 'Correct clocks',
            count: skewed,
            isOn: on.has('clocks'),
            title:
              'Moves spans that start before the parent of another service that caused them; the times as sent stay in their detail',
            onToggle: () => toggle('clocks'),
          },
        ]),
  ]
  const href = (name: TraceViewName): string => `?${new URLSearchParams({ view: name })}`
  return (
    <div className={styles.view}>
      <TraceHeading
        trace={trace}
        analysis={analysis}
        page={page}
        signals={signals}
        reports={reports}
        connection={connection}
        onLongest={longest}
        onErrors={() => showPart('errors')}
      />
      <div className={styles.tabs}>
        <LinkTabs
          label="Views"
          tabs={views.map((name) => ({
            id: name,
            label: VIEW_NAMES[name],
            href: href(name),
            ...(name === 'events' && { count: breadcrumbs.length + signals.length + errors.length }),
          }))}
          current={view}
          onChoose={(name) => change({ view: name })}
        />
        {view === 'waterfall' && spans.length > 1 && (
          <button
            type="button"
            className="button"
            onClick={() => change({ folds: new Set(choices.folds.has(ALL_FOLDED) ? [] : [ALL_FOLDED]) })}
          >
            {choices.folds.has(ALL_FOLDED) ? 'Expand all' : 'Collapse all'}
          </button>
        )}
        {choices.focus !== null && (
          <button type="button" className="button" onClick={unfocus}>
            Leave the subtree
          </button>
        )}
        {choices.zoom !== null && view === 'waterfall' && (
          <button type="button" className="button" onClick={unzoom}>
            Reset zoom
          </button>
        )}
      </div>
      <div className={styles.parts} data-panel={part !== null}>
        {view !== 'waterfall' ? (
          <OtherView
            view={view}
            trace={trace}
            analysis={analysis}
            breadcrumbs={breadcrumbs}
            signals={signals}
            within={subtreeOf(choices.focus, analysis)}
            selected={spanId}
            onSelect={select}
            onReveal={reveal}
          />
        ) : spans.length === 0 ? (
          <p className={styles.none}>
            This trace has {errors.length === 1 ? 'an error' : 'errors'} but no spans yet. Sampled spans arrive after
            they end.
          </p>
        ) : (
          <div className={styles.stack}>
            <FindBar
              field={field}
              text={choices.find}
              onText={(text) => change({ find: text })}
              found={search === null ? null : { count: matchOrder.length, at: matchOrder.indexOf(at ?? '') }}
              problems={problems}
              onStep={(by) => search !== null && step(search.matches, by)}
              onMinimum={(value) =>
                change({
                  find: withMinimumDuration(choices.find, value),
                  ...(value !== null && { on: new Set([...on, 'only']) }),
                })
              }
              switches={switches}
            />
            <Waterfall
              ref={waterfall}
              trace={trace}
              summary={counts}
              rows={rows}
              solidOf={analysis.solidOf}
              path={path}
              matches={search?.matches ?? null}
              found={found}
              lanes={lanes}
              window={window}
              full={full}
              cursor={at}
              selected={part === 'span' ? spanId : null}
              onWindow={setWindow}
              onSelect={select}
              onFold={fold}
            />
          </div>
        )}
        {part !== null && (
          <DetailPanel
            trace={trace}
            analysis={analysis}
            breadcrumbs={breadcrumbs}
            signals={signals}
            spanId={spanId}
            part={part}
            onPart={showPart}
            onSpan={reveal}
            onClose={spans.length === 0 ? null : close}
          />
        )}
      </div>
    </div>
  )
}

/** On a phone the panel takes nearly half of the rows' space. */
const NARROW = '(max-width: 48rem)'

/** Views that read from the collector. */
const STORED_VIEWS: readonly TraceViewName[] = ['compare', 'json']

const VIEW_NAMES: Readonly<Record<TraceViewName, string>> = {
  waterfall: 'Waterfall',
  flame: 'Flame graph',
  operations: 'By operation',
  events: 'Logs & events',
  map: 'Map',
  compare: 'Compare',
  json: 'JSON',
}

function summaryOf(
  count: number,
  groups: ReadonlyMap<string, readonly { readonly memberIds: readonly string[] }[]>,
): string {
  const all = [...groups.values()].flat()
  if (all.length === 0) return plural(count, 'span')
  const grouped = all.reduce((sum, { memberIds }) => sum + memberIds.length, 0)
  return `${plural(count, 'span')}, ${formatCount(grouped)} of them in ${plural(all.length, 'group')}`
}

/** The ids of a span and all below it; `null` without a focus. */
function subtreeOf(id: string | null, { tree, nodes }: ReturnType<typeof useAnalysis>): ReadonlySet<string> | null {
  const node = id === null ? undefined : nodes.get(id)
  if (node === undefined) return null
  return new Set([node, ...nodesBelow(tree, node)].map(({ span }) => span.spanId))
}
