'use client'

import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { TraceSearch } from '../../lib/filter/search-trace'
import type { SiblingGroup } from '../../lib/protocol/trace/sibling-groups'
import { failed } from './span-facts'
import type { TraceData } from './trace-data'
import { shownPath } from './trace-path'
import { treeRows } from './tree-rows'
import type { TraceAnalysis } from './use-analysis'
import { isOpen, type TraceChoices } from './use-trace-state'

const NO_GROUPS: ReadonlyMap<string, readonly SiblingGroup[]> = new Map()

/** The rows that the choices of a person leave, and the spans that search and switches count. */
export function useShownRows({ spans, errors, summary }: TraceData, analysis: TraceAnalysis, choices: TraceChoices) {
  const { on } = choices
  const { tree, nodes, slowIds, path: main } = analysis
  const { search, failure } = useSearch(spans, choices.find, summary.durationUs)
  const failedIds = useMemo(() => {
    const withErrors = new Set(errors.map((error) => error.spanId))
    return new Set(spans.filter((one) => failed(one.status) || withErrors.has(one.spanId)).map((one) => one.spanId))
  }, [spans, errors])
  const pathIds = useMemo(() => new Set(main?.sections.map((section) => section.spanId)), [main])
  const only = useMemo(() => {
    const sets = [
      ...(on.has('only') && search !== null ? [search.matches] : []),
      ...(on.has('errors') ? [failedIds] : []),
      ...(on.has('slow') ? [slowIds] : []),
      ...(on.has('path') ? [pathIds] : []),
    ]
    if (sets.length === 0) return null
    const kept = new Set<string>()
    for (let index = tree.nodes.length - 1; index >= 0; index--) {
      const id = tree.nodes[index]?.span.spanId ?? ''
      if (sets.every((set) => set.has(id))) kept.add(id)
      if (kept.has(id)) kept.add(tree.nodes[tree.parents[index] ?? -1]?.span.spanId ?? '')
    }
    return kept
  }, [on, search, failedIds, slowIds, pathIds, tree])
  const groups = on.has('no-groups') ? NO_GROUPS : analysis.groups
  const rows = useMemo(
    () =>
      treeRows({
        tree,
        nodes,
        isOpen: (id) => isOpen(choices.folds, id),
        groups,
        gaps: analysis.gaps,
        only,
        focus: choices.focus,
      }),
    [tree, nodes, choices.folds, groups, analysis.gaps, only, choices.focus],
  )
  const path = useMemo(
    () => (on.has('no-path') || main === null ? null : shownPath(main.sections, rows)),
    [on, main, rows],
  )
  const found = useMemo(
    () => (search === null ? [] : spans.filter((one) => search.matches.has(one.spanId))),
    [search, spans],
  )
  const problems = failure === null ? (search?.problems.map(({ message }) => message) ?? []) : [failure]
  return { search, problems, failedIds, slowIds, pathIds, groups, rows, path, main, found }
}

type SearchTrace = typeof import('../../lib/filter/search-trace').searchTrace

interface SearchState {
  /** The spans that a text finds; `null` without a text, and until the grammar of searches is loaded, with the first text. */
  readonly search: TraceSearch | null
  /** A sentence when a text cannot be searched. */
  readonly failure: string | null
}

const NOT_LOADED = 'The search could not be loaded. Reload the page to try again.'

function useSearch(spans: TraceData['spans'], text: string, traceUs: number): SearchState {
  const find = useDeferredValue(text.trim())
  const [loaded, setLoaded] = useState<SearchTrace | 'failed' | null>(null)
  const isNeeded = text !== '' && loaded === null
  useEffect(() => {
    if (!isNeeded) return
    import('../../lib/filter/search-trace').then(
      (module) => setLoaded(() => module.searchTrace),
      () => setLoaded('failed'),
    )
  }, [isNeeded])
  return useMemo(() => {
    if (find === '' || loaded === null) return { search: null, failure: null }
    if (loaded === 'failed') return { search: null, failure: NOT_LOADED }
    return { search: loaded(spans, find, traceUs), failure: null }
  }, [find, loaded, spans, traceUs])
}
