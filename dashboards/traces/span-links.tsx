'use client'

import { useEffect, useMemo, useState } from 'react'
import { plural } from '../../lib/format'
import { hex16 } from '../../lib/protocol/ids'
import type { Span } from '../../lib/wire/trace'
import { PlainAttributes } from '../ui/attribute-table'
import { client, failureOf } from '../ui/client'
import { spanHref } from '../ui/links'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { linkAttributes, otherTraces } from './detail-facts'
import { flagsText } from './otel-facts'
import { linkName } from './span-facts'
import styles from './span-links.module.css'

interface SpanLinksProps {
  readonly links: Span['links']
  readonly traceId: string
  /** Selects a span of this trace. */
  readonly onSpan: (spanId: string) => void
}

/** The spans that a span links to, in this trace or in others. */
export function SpanLinks({ links, traceId, onSpan }: SpanLinksProps) {
  const problems = useTraceProblems(links, traceId)
  if (links.length === 0) return null
  return (
    <section className={styles.links} aria-label="Links of the span">
      <h3>{plural(links.length, 'link')}</h3>
      <ul>
        {links.map((link, at) => (
          // A span may link to another one several times, and the order is fixed.
          <li key={`${at} ${link.traceId} ${link.spanId}`}>
            <p className={styles.target}>
              <span className={styles.name}>{linkName(link, traceId)}</span>
              <ProblemMark problem={problems.get(link.traceId)} />
              <LinkTarget link={link} traceId={traceId} onSpan={onSpan} />
            </p>
            {link.otel !== undefined && link.otel.flags !== 0 && (
              <p className={styles.more}>flags {flagsText(link.otel.flags, 'span')}</p>
            )}
            {link.otel?.traceState && (
              <p className={styles.more}>
                trace state <Received className="mono" text={link.otel.traceState} />
              </p>
            )}
            <PlainAttributes attributes={linkAttributes(link)} dropped={link.otel?.droppedAttributes ?? 0} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface LinkTargetProps {
  readonly link: Span['links'][number]
  readonly traceId: string
  readonly onSpan: (spanId: string) => void
}

/** Links only well-formed ids. */
function LinkTarget({ link, traceId, onSpan }: LinkTargetProps) {
  const text = (
    <code>
      {printable(link.traceId)} <span className={styles.span}>span {printable(link.spanId)}</span>
    </code>
  )
  if (link.traceId === traceId && hex16(link.spanId) !== null)
    return (
      <button type="button" className="link-button" onClick={() => onSpan(link.spanId)}>
        <code>{link.spanId}</code>
      </button>
    )
  const href = spanHref(link.traceId, link.spanId)
  return href === null ? text : <a href={href}>{text}</a>
}

/** An answer of the collector about a linked trace that the page cannot show. */
type Problem = 'missing' | 'failed'

const PROBLEMS: Readonly<Record<Problem, { readonly word: string; readonly meaning: string }>> = {
  missing: { word: 'not on record', meaning: 'It has not arrived, was not sampled, or was evicted.' },
  failed: { word: 'unknown', meaning: 'The collector did not answer whether this trace is on record.' },
}

/** Checks once whether the linked traces have a span on record. */
function useTraceProblems(links: Span['links'], traceId: string): ReadonlyMap<string, Problem> {
  const [problems, setProblems] = useState<ReadonlyMap<string, Problem>>(new Map())
  const ids = useMemo(() => otherTraces(links, traceId), [links, traceId])
  useEffect(() => {
    const aborter = new AbortController()
    const report = (trace: string, problem: Problem): void =>
      setProblems((before) => new Map(before).set(trace, problem))
    for (const trace of ids) {
      client
        .spans({ filter: { trace }, limit: 1, signal: aborter.signal })
        .then(({ spans, next }) => {
          // A page without spans may have a next one, where the trace has some.
          if (spans.length === 0 && next === null) report(trace, 'missing')
        })
        .catch((error: unknown) => {
          if (failureOf(error) !== null) report(trace, 'failed')
        })
    }
    return () => aborter.abort()
  }, [ids])
  return problems
}

function ProblemMark({ problem }: { readonly problem: Problem | undefined }) {
  if (problem === undefined) return null
  const { word, meaning } = PROBLEMS[problem]
  return (
    <span className={styles.problem} title={meaning}>
      {word}
    </span>
  )
}
