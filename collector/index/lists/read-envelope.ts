import type { Database } from 'better-sqlite3'
import { groupBy } from '../../../lib/group-by'
import { requestJson } from '../../../lib/otlp/request-json'
import { encodingOf, signalOf } from '../../../lib/otlp/signals'
import { quantityOf } from '../../../lib/protocol/data-category'
import { type Endpoint, parseRecord } from '../../../lib/protocol/record'
import type { SubmissionContent } from '../../../lib/protocol/submission'
import type { EnvelopeDetail, EnvelopeItem, EnvelopeSummary } from '../../../lib/wire/envelope'
import {
  type DeliveryStatuses,
  envelopeDeliveryStatus,
  IS_OWN,
  NEVER_POSTED,
  PAGE_OF,
  readAttempts,
  readDeliveryStatuses,
  readPostSummaries,
  readQuantities,
  readRecord,
  rowsFrom,
} from '../../spool/local'

/** The part of a payload in the answer; the raw bytes are a link away. */
const SHOWN_PAYLOAD_BYTES = 256 * 1024

interface SubmissionRow {
  readonly seq: number
  readonly journal: number
  readonly received_at: number
  readonly endpoint: Endpoint
  readonly project: string
  readonly public_key: string
  readonly stamp: string | null
  readonly bytes: number
  readonly quantities: string
  readonly digested_at: number | null
  readonly state: 'digested' | 'undigested' | null
  readonly event_id: string | null
  readonly trace_id: string | null
  readonly sdk: string | null
  readonly environment: string | null
  readonly own: number
  readonly page: string | null
}

const COLUMNS = `s.seq, s.journal, s.received_at, s.endpoint, s.project, s.public_key, s.stamp, s.bytes, s.quantities,
  e.digested_at, e.state, e.event_id, e.trace_id, e.sdk, e.environment,
  ${IS_OWN} AS own, ${PAGE_OF} AS page`

/** One submission with header, items, payloads and all delivery attempts. @returns `null` when it is not on record. */
export function readEnvelope(db: Database, seq: number): EnvelopeDetail | null {
  const record = readRecord(db, seq)
  const [summary] = readSummaries(db, [seq])
  if (summary === undefined || record === null) return null
  const parsed = parseRecord(record.endpoint, record.body, undefined, record.facts.target ?? null)
  if (!parsed.ok) throw new Error(`record ${seq} is not an envelope: ${parsed.error.message}`)
  const { header, items } = parsed.value
  // Items of an undigested submission have no rows, but the record has their headers.
  const known = new Map(summary.items.map((item) => [item.index, item]))
  const deliveryStatuses = readDeliveryStatuses(db, [seq])(seq)
  const { clientHints: _, forwardedFor: __, ...facts } = record.facts
  return {
    ...summary,
    header,
    facts: { ...facts, receipt: record.receipt },
    items: items.map((frame, index) => ({
      ...(known.get(index) ?? {
        index,
        type: frame.header.type,
        ...quantityOf(frame),
        bytes: frame.payload.length,
        deliveryStatus: deliveryStatuses.of(index),
        problem: null,
      }),
      header: frame.header,
      ...shownPayload(record, frame.payload),
    })),
    attempts: [...readAttempts(db, seq)],
  }
}

/** Some submissions as a list shows them, newest first; evicted ones are left out. */
export function readSummaries(db: Database, seqs: readonly number[]): EnvelopeSummary[] {
  const rows = db
    .prepare(
      `SELECT ${COLUMNS} FROM spool.submissions s LEFT JOIN envelopes e USING (seq)
       WHERE s.seq IN (SELECT value FROM json_each(?)) ORDER BY s.seq DESC`,
    )
    .all(JSON.stringify(seqs)) as SubmissionRow[]
  const deliveryStatusesBySeq = readDeliveryStatuses(db, seqs)
  const items = readItemsOf(db, seqs)
  const delivered = readPostSummaries(db, seqs)
  const evictedUpTo = rowsFrom(db)
  return rows.map((row) => {
    const deliveryStatuses = deliveryStatusesBySeq(row.seq)
    const quantities = readQuantities(row.quantities)
    return {
      seq: row.seq,
      journal: row.journal,
      receivedAt: row.received_at,
      digestedAt: row.digested_at,
      relayedAt: deliveryStatuses.relayedAt,
      endpoint: row.endpoint,
      project: row.project,
      publicKey: row.public_key,
      sdk: row.sdk,
      eventId: row.event_id,
      traceId: row.trace_id,
      environment: row.environment,
      own: row.own === 1,
      page: row.page,
      bytes: row.bytes,
      stamp: row.stamp,
      digest: row.state ?? (row.seq <= evictedUpTo ? 'evicted' : 'pending'),
      deliveryStatus: envelopeDeliveryStatus(deliveryStatuses, quantities.length),
      ...(delivered.get(row.seq) ?? NEVER_POSTED),
      items: (items.get(row.seq) ?? []).map((item) => toItem(item, deliveryStatuses)),
    }
  })
}

interface ItemRow {
  readonly seq: number
  readonly index: number
  readonly type: string
  readonly category: string
  readonly quantity: number
  readonly bytes: number
  readonly problem: string | null
}

function readItemsOf(db: Database, seqs: readonly number[]): Map<number, ItemRow[]> {
  const rows = db
    .prepare(
      `SELECT seq, item AS "index", type, category, quantity, bytes, problem FROM items
       WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq, item`,
    )
    .all(JSON.stringify(seqs)) as ItemRow[]
  return groupBy(rows, ({ seq }) => seq)
}

const toItem = ({ seq: _, ...item }: ItemRow, deliveryStatuses: DeliveryStatuses): EnvelopeItem => ({
  ...item,
  deliveryStatus: deliveryStatuses.of(item.index),
})

type ShownPayload = Pick<EnvelopeDetail['items'][number], 'text' | 'truncated'>

/** A payload as text. A request of OpenTelemetry is decoded if its bytes are not text, or too long to be shown whole. */
function shownPayload({ endpoint, facts }: SubmissionContent, payload: Uint8Array): ShownPayload {
  const truncated = payload.length > SHOWN_PAYLOAD_BYTES
  const [signal, encoding] = [signalOf(endpoint), encodingOf(facts.contentType)]
  if (signal !== null && encoding !== null && (encoding === 'protobuf' || truncated)) {
    const json = requestJson(signal, encoding, payload, SHOWN_PAYLOAD_BYTES)
    if (json.ok) return json.value
  }
  return { text: textOf(payload), truncated }
}

const strict = new TextDecoder('utf-8', { fatal: true })
const lenient = new TextDecoder('utf-8')

function textOf(payload: Uint8Array): string | null {
  try {
    // Decode all of it to decide whether it is text; only the shown part is cut.
    const whole = strict.decode(payload)
    if (payload.length <= SHOWN_PAYLOAD_BYTES) return whole
    return lenient.decode(payload.subarray(0, SHOWN_PAYLOAD_BYTES))
  } catch {
    // Not UTF-8: an attachment or a recording. Only its size is shown.
    return null
  }
}
