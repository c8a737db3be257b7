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
  const search = useSearch(spans, choices.find, summary.durationUs)
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
  return { search, failedIds, slowIds, pathIds, groups, rows, path, main, found }
}

type SearchTrace = typeof import('../../lib/filter/search-trace').searchTrace

/** The spans that a text finds; `null` without a text, and until the grammar of searches is loaded, with the first text. */
function useSearch(spans: TraceData['spans'], text: string, traceUs: number): TraceSearch | null {
  const find = useDeferredValue(text.trim())
  const [search, setSearch] = useState<SearchTrace | null>(null)
  const isNeeded = text !== '' && search === null
  useEffect(() => {
    if (isNeeded) void import('../../lib/filter/search-trace').then((module) => setSearch(() => module.searchTrace))
  }, [isNeeded])
  return useMemo(
    () => (find === '' || search === null ? null : search(spans, find, traceUs)),
    [find, search, spans, traceUs],
  )
}
