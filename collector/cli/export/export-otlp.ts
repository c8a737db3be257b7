import { positionOf, positionsOf } from '../../../lib/ask/items/describe-items'
import { decodeRequest } from '../../../lib/otlp/decode'
import { entriesOf } from '../../../lib/otlp/entries'
import { exportRows } from '../../../lib/otlp/export-rows'
import { requestLine } from '../../../lib/otlp/request-json'
import { selectEntries } from '../../../lib/otlp/select-traces'
import { resourceOf, senderOf } from '../../../lib/otlp/sender'
import { encodingOf, type OtlpSignal, signalOf } from '../../../lib/otlp/signals'
import { traceIdOf } from '../../../lib/otlp/values'
import type { Evidence } from '../../../lib/verdict/evidence/evidence'
import type { ExportFilter } from './export-filter'

/** The kinds of `tail` that OTLP has a form for. Errors become log records. */
export const OTLP_KINDS = ['span', 'log', 'metric', 'error'] as const

/** The kind whose entries a signal of OTLP has. */
const KIND_OF = { traces: 'span', logs: 'log', metrics: 'metric' } as const satisfies Readonly<
  Record<OtlpSignal, string>
>

interface OtlpLines {
  /** One request of OTLP/JSON each. */
  readonly lines: readonly string[]
  /** How many items of each kind OTLP has no form for. */
  readonly rest: ReadonlyMap<string, number>
}

/**
 * Rows of Sentry become requests; requests of OpenTelemetry stay as they were sent, without the entries that the filter
 * leaves out. Copies of spotlight streams are left out and counted.
 * @param evidence selected already, except inside of requests
 */
export function otlpLines(evidence: Evidence, filter: ExportFilter): OtlpLines {
  const lines: string[] = []
  const rest = new Map<string, number>()
  const count = (kind: string): void => void rest.set(kind, (rest.get(kind) ?? 0) + 1)
  const has = (kind: string): boolean => filter.kinds.size === 0 || filter.kinds.has(kind)
  const rows = rowsBySeq(evidence)
  const withRows = positionsOf(evidence.spans, evidence.events, evidence.signals)
  for (const envelope of evidence.envelopes) {
    const own = rows.get(envelope.seq)
    if (own === undefined) continue
    if (envelope.copy) {
      count('copy')
      continue
    }
    const signal = signalOf(envelope.endpoint)
    if (signal !== null) {
      if (!has(KIND_OF[signal])) continue
      const encoding = encodingOf(envelope.contentType ?? null) ?? 'json'
      for (const { payload } of own.items) {
        const line = selectedRequest(signal, encoding, payload, filter)
        if (line !== null) lines.push(line)
      }
      continue
    }
    const exported = exportRows({
      arrival: envelope,
      sdk: envelope.sdk,
      segments: own.segments,
      spans: has('span') ? own.spans : [],
      events: has('error') ? own.events : [],
      signals: own.signals.filter(({ kind }) => has(kind)),
    })
    for (const request of exported.requests) lines.push(requestLine(request))
    for (const kind of exported.rest) count(kind.replaceAll('_', '-'))
    if (filter.kinds.size > 0) continue
    for (const _ of own.breadcrumbs) count('breadcrumb')
    for (const item of own.items) if (item.problem !== null || !withRows.has(positionOf(item))) count('item')
  }
  return { lines, rest }
}

/** @returns `null` when the filter selects no entry */
function selectedRequest(
  signal: OtlpSignal,
  encoding: 'json' | 'protobuf',
  payload: Uint8Array,
  { trace, service }: ExportFilter,
): string | null {
  const request = decodeRequest(signal, encoding, payload)
  if (!request.ok) return null
  const selected =
    trace === null && service === null
      ? request.value
      : selectEntries(
          signal,
          request.value,
          (entry, resource) =>
            (trace === null || traceIdOf(entry.traceId) === trace) &&
            (service === null || senderOf(resourceOf(resource)).service === service),
        )
  return entriesOf(signal, selected).next().done === true ? null : requestLine(selected)
}

type RowsOfEnvelope = { readonly [List in Exclude<keyof Evidence, 'envelopes'>]: Evidence[List][number][] }

function rowsBySeq(evidence: Evidence): ReadonlyMap<number, RowsOfEnvelope> {
  const bySeq = new Map<number, RowsOfEnvelope>()
  const of = ({ seq }: { readonly seq: number }): RowsOfEnvelope => {
    const own = bySeq.get(seq) ?? { items: [], segments: [], spans: [], events: [], signals: [], breadcrumbs: [] }
    bySeq.set(seq, own)
    return own
  }
  for (const one of evidence.items) of(one).items.push(one)
  for (const one of evidence.segments) of(one).segments.push(one)
  for (const one of evidence.spans) of(one).spans.push(one)
  for (const one of evidence.events) of(one).events.push(one)
  for (const one of evidence.signals) of(one).signals.push(one)
  for (const one of evidence.breadcrumbs) of(one).breadcrumbs.push(one)
  return bySeq
}
