'use client'

import { useEffect, useState } from 'react'
import type { SpanRow } from '../../lib/wire/trace'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { client } from '../ui/client'
import { CopyButton } from '../ui/facts'
import { spanHref } from '../ui/links'
import { printable } from '../ui/printable'
import { Segments } from '../ui/segments'
import styles from './copy-as.module.css'
import { spanAssertion, spanCurl, spanMarkdown, spanPattern } from './span-copies'

interface CopyAsProps {
  readonly traceId: string
  readonly span: TraceSpan
  /** The root of its tree; `null` for a root. */
  readonly root: TraceSpan | null
  readonly detail: SpanRow
}

const FORMS = ['assertion', 'json', 'curl', 'markdown', 'link'] as const
type Form = (typeof FORMS)[number]
const LABELS: Readonly<Record<Form, string>> = {
  assertion: 'Assertion',
  json: 'JSON',
  curl: 'curl',
  markdown: 'Markdown',
  link: 'Link',
}

/** A span as text for tests, issues and shells. An assertion is offered once the collector has found that it holds. */
export function CopyAs({ traceId, span, root, detail }: CopyAsProps) {
  const [form, setForm] = useState<Form>('assertion')
  const pattern = spanPattern(span, root)
  const isMatched = useMatched(pattern)
  const link = `${window.location.origin}${spanHref(traceId, span.spanId) ?? ''}`
  const texts: Readonly<Record<Form, string | null>> = {
    assertion: isMatched === true ? spanAssertion(pattern) : null,
    json: `${JSON.stringify(detail, null, 2)}\n`,
    curl: spanCurl(detail.attributes),
    markdown: spanMarkdown(span, link),
    link,
  }
  const text = texts[form]
  const forms = FORMS.filter((one) => one !== 'curl' || texts.curl !== null)
  return (
    <section className={styles.copies} aria-labelledby="copy-as">
      <div className={styles.head}>
        <h3 id="copy-as">Copy as</h3>
        <Segments
          label="Copy as"
          segments={forms.map((id) => ({ id, label: LABELS[id] }))}
          current={form}
          onChange={setForm}
        />
        {text !== null && <CopyButton quiet text={text} label={LABELS[form].toLowerCase()} />}
      </div>
      {text !== null ? (
        <pre className={styles.text}>{printable(text)}</pre>
      ) : (
        <p className="small soft">
          {isMatched === null
            ? 'Checking the assertion …'
            : 'No assertion: the collector does not find this span by it.'}
        </p>
      )}
    </section>
  )
}

/** A check reads everything recorded, so it waits until the selection rests. */
const REST_MS = 500

/** Whether recorded spans match a pattern; `null` until the collector has answered. */
function useMatched(pattern: string): boolean | null {
  const [found, setFound] = useState<{ readonly pattern: string; readonly isMatched: boolean } | null>(null)
  useEffect(() => {
    const aborter = new AbortController()
    const show = (isMatched: boolean): void => {
      if (!aborter.signal.aborted) setFound({ pattern, isMatched })
    }
    const timer = window.setTimeout(() => {
      client.expectSpans({ pattern, stamp: null, wait: 0, signal: aborter.signal }).then(
        ({ answer }) => show(answer === 'match'),
        () => show(false),
      )
    }, REST_MS)
    return () => {
      window.clearTimeout(timer)
      aborter.abort()
    }
  }, [pattern])
  return found?.pattern === pattern ? found.isMatched : null
}
