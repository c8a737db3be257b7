'use client'

import { lazy, Suspense, useMemo, useState } from 'react'
import { formatBytes, formatCount } from '../../lib/format'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { CopyButton } from '../ui/facts'
import { printable, printableValue } from '../ui/printable'
import { Received } from '../ui/received'
import { Segments } from '../ui/segments'
import { namesTraces, OPEN_LINES, type PayloadForm, payloadOf, traceIdsIn } from './item-payload'
import styles from './item-view.module.css'

interface ItemViewProps {
  readonly item: EnvelopeDetail['items'][number]
  readonly many: boolean
  readonly form: PayloadForm
  readonly signals: string | null
}

export function ItemView({ item, many, form, signals }: ItemViewProps) {
  return (
    <article className={styles.item} aria-label={form === 'item' ? `Item ${item.index + 1}` : 'Request'}>
      <header className={styles.heading}>
        {many && <span className="num faint">{item.index + 1}</span>}
        <h2>
          <Received className="mono" text={item.type} />
        </h2>
        {item.quantity !== 1 && <span className="num">×{formatCount(item.quantity)}</span>}
        {item.category !== item.type && (
          <span className="faint">
            counted as <Received text={item.category} />
          </span>
        )}
        <span className="num faint">{formatBytes(item.bytes)}</span>
        <TraceLinks type={item.type} text={item.text} />
        {signals !== null && <a href={signals}>in signals</a>}
        <span className={styles.status}>
          <DeliveryStatusMark deliveryStatus={item.deliveryStatus} withReason />
        </span>
      </header>
      {item.problem !== null && (
        <p className="banner warn small">
          <strong>{form === 'item' ? 'Not digested:' : 'Partly digested:'}</strong> {problemText(item.problem)}. Still
          stored and relayed.
        </p>
      )}
      {form === 'item' ? (
        <p className={styles.header}>
          <span className="faint">header </span>
          <code>{printableValue(item.header)}</code>
        </p>
      ) : (
        <p className="small soft">{FORMS[form]}</p>
      )}
      <ItemPayload item={item} />
    </article>
  )
}

/** `not read` is the problem of an item whose type no parser reads. */
const problemText = (problem: string): string =>
  problem === 'not read' ? 'no list shows items of this type' : printable(problem)

const FORMS: Readonly<Record<Exclude<PayloadForm, 'item'>, string>> = {
  json: 'The request as OTLP/JSON, indented.',
  protobuf: 'The protobuf request decoded as OTLP/JSON. The link above downloads the raw bytes.',
}

const PayloadTree = lazy(() => import('./payload-tree').then((module) => ({ default: module.PayloadTree })))

const PAYLOAD_VIEWS = [
  { id: 'tree', label: 'Tree' },
  { id: 'text', label: 'Text' },
] as const

function ItemPayload({ item }: { readonly item: ItemViewProps['item'] }) {
  // A page that follows the stream renders often; the payload never changes.
  const payload = useMemo(() => payloadOf(item), [item])
  const [view, setView] = useState<(typeof PAYLOAD_VIEWS)[number]['id']>('tree')
  if (payload.kind === 'empty') return <p className="small faint">No payload.</p>
  if (payload.kind === 'binary') {
    return (
      <p className="small soft">{formatBytes(item.bytes)} of binary data. The link above downloads the raw bytes.</p>
    )
  }
  const isJson = payload.json !== undefined
  return (
    <div className={styles.payload}>
      {isJson && (
        <div className={styles.views}>
          <Segments label="View of the payload" segments={PAYLOAD_VIEWS} current={view} onChange={setView} />
          <CopyButton quiet text={payload.text} label="the payload" />
        </div>
      )}
      {isJson && view === 'tree' ? (
        <Suspense fallback={<p className="small faint">Loading …</p>}>
          <PayloadTree value={payload.json} />
        </Suspense>
      ) : (
        <PayloadText payload={payload} hasCopy={!isJson} />
      )}
      {payload.truncated && <p className="small soft">Cut at 256 KiB here; the link above downloads all bytes.</p>}
    </div>
  )
}

interface PayloadTextProps {
  readonly payload: { readonly text: string; readonly lines: number }
  readonly hasCopy: boolean
}

function PayloadText({ payload, hasCopy }: PayloadTextProps) {
  const [open, setOpen] = useState(payload.lines <= OPEN_LINES)
  return (
    <>
      {hasCopy && (open || payload.lines > OPEN_LINES) && (
        <div className={styles.tools}>
          <CopyButton quiet text={payload.text} label="the payload" />
        </div>
      )}
      <pre className={styles.text} data-open={open}>
        {open ? payload.text : payload.text.split('\n').slice(0, 12).join('\n')}
      </pre>
      {payload.lines > OPEN_LINES && (
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : `Show all ${formatCount(payload.lines)} lines`}
        </button>
      )}
    </>
  )
}

/** One item of logs may name hundreds of traces. */
const MOST_LINKS = 5

function TraceLinks({ type, text }: { readonly type: string; readonly text: string | null }) {
  if (text === null || !namesTraces(type)) return null
  const ids = traceIdsIn(text)
  const more = ids.length - MOST_LINKS
  return (
    <>
      {ids.slice(0, MOST_LINKS).map((id) => (
        <a key={id} href={`/traces/${id}`} title={id}>
          {ids.length === 1 ? 'trace' : `trace ${id.slice(0, 8)}`}
        </a>
      ))}
      {more > 0 && <span className="faint">+{formatCount(more)}</span>}
    </>
  )
}
