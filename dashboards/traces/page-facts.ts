'use client'

import { use, useEffect, useMemo, useState } from 'react'
import { formatDurationUs } from '../../lib/format'
import { isObject, number } from '../../lib/protocol/json-value'
import type { Span } from '../../lib/wire/trace'
import { spanHref } from '../ui/links'
import { linkName } from './span-facts'
import type { TraceData } from './trace-data'
import { SpanSource } from './use-span'

/** A moment of a page load that its visitor felt. */
export interface Vital {
  /** `LCP` */
  readonly name: string
  readonly atUs: number
  /** Its value after the start of the page load: `2.31 s`. */
  readonly text: string
  /** Google's word for the value; `null` for moments without a threshold. */
  readonly word: 'good' | 'needs work' | 'poor' | null
  readonly tone: 'ok' | 'warn' | 'bad' | 'faint'
}

/** Of web.dev: up to the first it is good, above the second poor; milliseconds. */
const VITALS: Readonly<Record<string, readonly [string, readonly [number, number] | null]>> = {
  ttfb: ['TTFB', [800, 1800]],
  fp: ['FP', null],
  fcp: ['FCP', [1800, 3000]],
  lcp: ['LCP', [2500, 4000]],
}

/** The vitals of a page load that are moments, from the attributes of its span. @param startUs its start */
export function vitalsOf(attributes: Readonly<Record<string, unknown>>, startUs: number): readonly Vital[] {
  return Object.entries(VITALS).flatMap(([key, [name, bounds]]) => {
    const measured = attributes[`measurements.${key}`] ?? attributes[`browser.web_vital.${key}.value`]
    const ms = number(isObject(measured) ? measured.value : measured)
    if (ms === null) return []
    const [word, tone] = wordOf(ms, bounds)
    return { name, atUs: startUs + ms * 1000, text: formatDurationUs(ms * 1000), word, tone }
  })
}

function wordOf(ms: number, bounds: readonly [number, number] | null): readonly [Vital['word'], Vital['tone']] {
  if (bounds === null) return [null, 'faint']
  if (ms <= bounds[0]) return ['good', 'ok']
  return ms <= bounds[1] ? ['needs work', 'warn'] : ['poor', 'bad']
}

/** Facts from the span of a trace's page. */
export interface PageFacts {
  readonly vitals: readonly Vital[]
  /** The traces of the pages before and after it, as far as its SDK links them. */
  readonly neighbours: readonly { readonly name: string; readonly href: string }[]
}

const NONE: Pick<PageFacts, 'vitals'> & Pick<Span, 'links'> = { vitals: [], links: [] }

/** The vitals of the trace's first page load, and the links of its page. The span of the page is read once. */
export function usePageFacts({ spans, summary, next }: TraceData): PageFacts {
  const [facts, setFacts] = useState(NONE)
  const readSpan = use(SpanSource)
  const page = useMemo(
    () => spans.find(({ op }) => op === 'pageload') ?? spans.find(({ op }) => op === 'navigation'),
    [spans],
  )
  const [spanId, startUs] = [page?.spanId, page?.startUs ?? 0]
  const { traceId } = summary
  useEffect(() => {
    if (spanId === undefined) return
    const aborter = new AbortController()
    readSpan(traceId, spanId, aborter.signal).then(
      (detail) => {
        if (aborter.signal.aborted || detail === null) return
        const { attributes, links } = detail.span
        setFacts({ vitals: vitalsOf(attributes, startUs), links })
      },
      // These facts are left out; the banner says that the collector does not answer.
      () => undefined,
    )
    return () => aborter.abort()
  }, [traceId, spanId, startUs, readSpan])
  const { vitals, links } = facts
  return useMemo(() => ({ vitals, neighbours: neighboursOf(links, traceId, next) }), [vitals, links, traceId, next])
}

/**
 * The traces before and after a page: those that its links name, and else the one that links to it.
 * @param traceId of the page
 */
export function neighboursOf(links: Span['links'], traceId: string, next?: TraceData['next']): PageFacts['neighbours'] {
  const isNamed = next === undefined || links.some(({ type }) => type === 'next_trace')
  return [...links, ...(isNamed ? [] : [{ ...next, type: 'next_trace' }])].flatMap((link) => {
    const href = link.traceId === traceId ? null : spanHref(link.traceId, link.spanId)
    const isNeighbour = link.type === 'previous_trace' || link.type === 'next_trace'
    return isNeighbour && href !== null ? [{ name: linkName(link, traceId), href }] : []
  })
}
