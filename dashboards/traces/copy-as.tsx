'use client'

import { useEffect, useState } from 'react'
import type { SpanRow } from '../../lib/wire/trace'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { client, failureOf } from '../ui/client'
import { CopyButton, copyText } from '../ui/facts'
import { useKeys } from '../ui/keys'
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
  /** Attributes that the assertion requires. */
  readonly required: Readonly<Record<string, unknown>>
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

/** A span as text for tests, issues and shells. An assertion is offered once the collector has found it to hold for this trace. */
export function CopyAs({ traceId, span, root, detail, required }: CopyAsProps) {
  const [form, setForm] = useState<Form>('assertion')
  const [copied, setCopied] = useState('')
  const pattern = spanPattern(span, root, required)
  const checked = useCheck(pattern, traceId)
  const link = `${window.location.origin}${spanHref(traceId, span.spanId) ?? ''}`
  const texts: Readonly<Record<Form, string | null>> = {
    assertion: checked === 'match' ? spanAssertion(pattern) : null,
    json: `${JSON.stringify(detail, null, 2)}\n`,
    curl: spanCurl(detail.attributes),
    markdown: spanMarkdown(span, link),
    link,
  }
  const text = texts[form]
  const copy = (chosen: Form): boolean => {
    setForm(chosen)
    const chosenText = texts[chosen]
    if (chosenText !== null) void copyText(chosenText).then((result) => setCopied(`${LABELS[chosen]}: ${result}`))
    return true
  }
  useKeys({ t: () => copy('assertion'), y: () => copy('link'), Y: () => copy('markdown') })
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
        <pre className={styles.text}>{printable(text.trimEnd(), 'lines')}</pre>
      ) : (
        <p className="small soft">{checked === null ? 'Checking the assertion …' : `No assertion: ${checked}.`}</p>
      )}
      <span className="visually-hidden" role="status">
        {copied}
      </span>
    </section>
  )
}

/** A check reads everything recorded, so it waits until the selection rests. */
const REST_MS = 500

/** `match` when the trace has the spans of a pattern, else the reason; `null` until the collector has answered. */
function useCheck(pattern: string, traceId: string): string | null {
  const [checked, setChecked] = useState<{ readonly of: string; readonly answer: string } | null>(null)
  const of = `${traceId} ${pattern}`
  useEffect(() => {
    const aborter = new AbortController()
    const timer = window.setTimeout(() => {
      client
        .expectSpans({ pattern, stamp: null, trace: traceId, wait: 0, signal: aborter.signal })
        .then(({ answer }) => (answer === 'match' ? answer : REASONS[answer]), reasonOf)
        .then((answer) => {
          if (answer !== null && !aborter.signal.aborted) setChecked({ of, answer })
        })
    }, REST_MS)
    return () => {
      window.clearTimeout(timer)
      aborter.abort()
    }
  }, [pattern, traceId, of])
  return checked?.of === of ? checked.answer : null
}

const REASONS = {
  'no match': 'the collector does not find this span by it',
  'nothing recorded': 'this trace is not among the newest submissions, in which the collector searches',
} as const

function reasonOf(error: unknown): string | null {
  const failure = failureOf(error)
  if (failure === null) return null
  return failure.kind === 'unreachable' ? 'the collector is unreachable' : `it was not checked: ${failure.detail}`
}
