import * as z from 'zod'
import { formatBytes, plural } from '../format'
import { hex16, hex32 } from '../protocol/ids'
import { readClientReport } from '../protocol/items/client-report'
import { jsonOr } from '../protocol/json-value'
import { SIZE_LIMITS } from '../protocol/size-limits'
import type { EnvelopeDetail } from '../wire/envelope'
import { type Answer, cursorInput, fact, joined, type Line, line, own, type Section, timeOf } from './answer'
import { getCall } from './calls'
import { answerError, answerGroup } from './get-error'
import { answerSignals, answerSpan, answerTrace } from './get-trace'
import { label, received } from './received'
import { deliveryText } from './search'
import { AskError, type AskSources } from './sources'
import { defineVerb } from './verb'

/** Entries of one client report. */
const MOST_DISCARDS = 20

const INPUT = {
  id: z.string().min(1).max(100).describe('whole id: 32 hex digits, TRACE/SPAN, or an envelope number'),
  focus: z.string().max(16).optional().describe('of a trace only the spans below this span id'),
  full: z.boolean().default(false).describe('everything instead of an overview'),
  cursor: cursorInput,
}

/** `get`: one thing that has an id. */
export const getVerb = defineVerb({
  name: 'get',
  description:
    'Shows one thing: a trace (its most telling spans), TRACE/SPAN, an event or error group (stack with code, breadcrumbs), or an envelope number.',
  input: INPUT,
  run: answerGet,
})

async function answerGet(
  sources: AskSources,
  { id, focus, full }: z.infer<z.ZodObject<typeof INPUT>>,
): Promise<Answer> {
  const { client, signal, boardsUrl } = sources
  const [trace = '', span = null] = id.split('/')
  const [id32, focusId] = [hex32(trace), focus === undefined ? null : hex16(focus)]
  if (focus !== undefined && focusId === null)
    throw new AskError(`focus must be a span id of 16 hex digits, got ${JSON.stringify(focus)}`)
  if (/^\d{1,15}$/.test(id)) {
    const envelope = await client.envelope(Number(id), signal)
    if (envelope === null) throw missing(`envelope ${id}`)
    return answerEnvelope(envelope, { full, boardsUrl, rawUrl: client.rawUrl(envelope.seq) })
  }
  if (id32 === null || (span !== null && hex16(span) === null))
    throw new AskError(
      `id must be 32 hex digits of a trace, an event or an error group, TRACE/SPAN with 16 hex digits of a span, or an envelope number, got ${JSON.stringify(id)}`,
    )
  if (span !== null) {
    const found = await client.span(id32, hex16(span) ?? '', signal)
    if (found === null) throw missing(`span ${id}`)
    return answerSpan(found, boardsUrl)
  }
  const [event, group] = await Promise.all([client.event(id32, signal), client.errorGroup(id32, signal)])
  if (event !== null) return answerError(sources, event, full)
  if (group !== null) return answerGroup(sources, group, full)
  const found = await client.trace(id32, signal)
  if (found !== null) return answerTrace(sources, found, { focus: focusId, full })
  const { signals } = await client.signalsOfTrace(id32, signal)
  if (signals.length === 0) throw missing(`trace, event or error group ${id}`)
  if (focusId !== null) throw missing(`span ${id32}/${focusId}`)
  return answerSignals(id32, signals, { full, boardsUrl })
}

const missing = (noun: string): AskError =>
  new AskError(`no ${noun} is stored: it has not arrived, is not digested yet, or was evicted`, true)

/** An envelope: its items and what became of them. */
function answerEnvelope(
  envelope: EnvelopeDetail,
  { full, boardsUrl, rawUrl }: { readonly full: boolean; readonly boardsUrl: string; readonly rawUrl: string },
): Answer {
  const { seq, facts, attempts, items, deliveryStatus } = envelope
  return {
    heading: own(`Envelope ${seq}`),
    sections: [
      {
        heading: null,
        rows: [
          joined([
            fact('received', timeOf(envelope.receivedAt)),
            fact('endpoint', own(envelope.endpoint)),
            fact('project', label('project', envelope.project)),
            own(formatBytes(envelope.bytes)),
          ]),
          joined([
            fact('sdk', label('sdk', envelope.sdk)),
            fact('stamp', label('stamp', envelope.stamp)),
            fact('origin', received('origin', facts.origin, 200)),
            fact('user agent', received('userAgent', facts.userAgent, 200)),
            facts.keptMs === undefined ? null : own(`${facts.keptMs} ms in the lifeboat`),
          ]),
          joined([fact('digest', own(envelope.digest)), fact('delivery', deliveryText(deliveryStatus))]),
          joined([fact('trace', own(envelope.traceId)), fact('event', own(envelope.eventId))]),
          fact('board', own(`${boardsUrl}/envelopes/${seq}`)),
          fact('bytes as received', own(rawUrl)),
        ],
      },
      { heading: 'Items', rows: items.flatMap((item) => itemRows(item, full)) },
      { heading: 'Deliveries', rows: attempts.map(attemptLine) },
      {
        heading: 'Scrubbed before storing',
        rows: (facts.scrubbed ?? []).map(({ rule, path }) => line`${received('path', path, 200)} by ${own(rule)}`),
      },
      { heading: 'Header', rows: full ? [{ block: received('header', envelope.header) }] : [] },
    ],
    next: [...idsIn(envelope).map((id) => getCall(id)), { verb: 'explain', args: { id: String(seq) } }],
  }
}

/** Ids that `get` finds: the event of an error, and the trace of spans. */
const idsIn = ({ items, eventId, traceId }: EnvelopeDetail): readonly string[] => [
  ...(eventId !== null && items.some(({ type }) => type === 'event') ? [eventId] : []),
  ...(traceId !== null && items.some(({ type }) => type === 'transaction' || type === 'span') ? [traceId] : []),
]

function itemRows(item: EnvelopeDetail['items'][number], full: boolean): Section['rows'] {
  const { index, type, category, quantity, bytes, deliveryStatus, problem, text } = item
  return [
    joined([
      own(`item ${index}`),
      label('type', type),
      fact('category', label('category', category)),
      quantity === 1 ? null : own(`quantity ${quantity}`),
      own(formatBytes(bytes)),
      deliveryText(deliveryStatus),
      fact('problem', received('problem', problem, 300)),
    ]),
    ...(type === 'client_report' && text !== null ? discardLines(text) : []),
    full && text !== null ? { block: received('payload', jsonOr(text, text) ?? text) } : null,
  ]
}

/** The entries of a client report: how many items of a data category the SDK discarded, and why. */
export const discardLines = (text: string): readonly Line[] => {
  const report = readClientReport(new TextEncoder().encode(text), SIZE_LIMITS)
  return (report.ok ? report.value.entries.slice(0, MOST_DISCARDS) : []).map((readEntry) => {
    const { reason, category, quantity } = readEntry()
    return {
      ...line`the SDK discarded ${quantity ?? 0} ${label('category', category ?? '(no category)')}: ${label('reason', reason ?? '(no reason)')}`,
      depth: 1,
    }
  })
}

const attemptLine = (attempt: EnvelopeDetail['attempts'][number]): Line =>
  joined([
    timeOf(attempt.startedAt),
    label('upstream', attempt.upstream),
    own(attempt.status === null ? 'no answer' : `answered ${attempt.status}`),
    fact('error', received('error', attempt.error, 300)),
    fact('answer', received('answer', attempt.answer, 300)),
    fact('rate limits', received('limits', attempt.rateLimits, 300)),
    attempt.leftOut.length === 0 ? null : own(`${plural(attempt.leftOut.length, 'item')} cut by a limit`),
    attempt.removed.length === 0 ? null : own(`${plural(attempt.removed.length, 'value')} scrubbed`),
  ])
