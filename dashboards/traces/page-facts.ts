'use client'

import { use, useEffect, useMemo, useState } from 'react'
import { formatDurationUs } from '../../lib/format'
import { isObject, number } from '../../lib/protocol/json-value'
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

const NONE: readonly Vital[] = []

/** The vitals of the trace's first page load. They are attributes of its span, which are read once. */
export function usePageVitals({ spans, summary }: TraceData): readonly Vital[] {
  const [vitals, setVitals] = useState(NONE)
  const readSpan = use(SpanSource)
  const page = useMemo(() => spans.find(({ op }) => op === 'pageload'), [spans])
  const [spanId, startUs] = [page?.spanId, page?.startUs ?? 0]
  const { traceId } = summary
  useEffect(() => {
    if (spanId === undefined) return
    const aborter = new AbortController()
    readSpan(traceId, spanId, aborter.signal).then(
      (detail) => {
        if (!aborter.signal.aborted && detail !== null) setVitals(vitalsOf(detail.span.attributes, startUs))
      },
      // The lane is left out; the banner says that the collector does not answer.
      () => undefined,
    )
    return () => aborter.abort()
  }, [traceId, spanId, startUs, readSpan])
  return vitals
}
