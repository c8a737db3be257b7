'use client'

import { formatCount } from '../../../lib/format'
import { client } from '../../ui/client'
import { printableValue } from '../../ui/printable'
import { Breakable } from '../../ui/received'
import { useAnswer } from '../../ui/use-answer'
import { isSame } from '../trace-data'
import type { TraceFile } from '../trace-file'
import styles from './compare-view.module.css'

/** Attributes that differ, and characters of a value, that are shown. The panel has the values of this trace whole. */
const MOST_CHANGES = 100
const LONGEST_VALUE = 300

type Attributes = Readonly<Record<string, unknown>>

/** `undefined` stands for an attribute that the span does not have. */
interface AttributeChange {
  readonly name: string
  readonly a: unknown
  readonly b: unknown
}

/** The attributes that only one of two spans has, or that have different values, by name. */
export function attributeChanges(a: Attributes, b: Attributes): readonly AttributeChange[] {
  const valueIn = (attributes: Attributes, name: string): unknown =>
    Object.hasOwn(attributes, name) ? attributes[name] : undefined
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .sort()
    .map((name) => ({ name, a: valueIn(a, name), b: valueIn(b, name) }))
    .filter((one) => !isSame(one.a, one.b))
}

interface SpanOfTrace {
  readonly traceId: string
  readonly spanId: string
}

interface AttributeChangesProps {
  readonly a: SpanOfTrace
  readonly b: SpanOfTrace
  /** Has the first span; `null` when the collector has it. */
  readonly file: TraceFile | null
}

/** The attributes that differ between a span of each trace. They are read when the row is opened. */
export function AttributeChanges({ a, b, file }: AttributeChangesProps) {
  const { answer, failure } = useAnswer(`${a.spanId}/${b.spanId}`, (signal) =>
    Promise.all([
      file === null ? client.span(a.traceId, a.spanId, signal) : file.detailOf(a.spanId),
      client.span(b.traceId, b.spanId, signal),
    ]),
  )
  if (failure !== null) return <p>The attributes could not be read. Open the row again when the collector answers.</p>
  if (answer === undefined) return <p>Loading attributes …</p>
  const [first, second] = answer.map((detail) => detail?.span.attributes)
  if (first === undefined || second === undefined)
    return <p>One of the spans is not stored (any more), so attributes cannot be compared.</p>
  const changes = attributeChanges(first, second)
  if (changes.length === 0) return <p>All attributes are the same.</p>
  return (
    <>
      <ul className={styles.attributes} aria-label="Attributes that differ">
        {changes.slice(0, MOST_CHANGES).map((change) => (
          <li key={change.name}>
            <span className="faint">{wordOf(change)}</span> <Breakable name={change.name} />:{' '}
            {change.a !== undefined && <Value value={change.a} />}
            {change.a !== undefined && change.b !== undefined && ' → '}
            {change.b !== undefined && <Value value={change.b} />}
          </li>
        ))}
      </ul>
      {changes.length > MOST_CHANGES && <p>{formatCount(changes.length - MOST_CHANGES)} more differ.</p>}
    </>
  )
}

const wordOf = ({ a, b }: AttributeChange): string =>
  a === undefined ? 'added' : b === undefined ? 'removed' : 'changed'

function Value({ value }: { readonly value: unknown }) {
  const text = printableValue(value)
  return <bdi className="mono">{text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)} …` : text}</bdi>
}
