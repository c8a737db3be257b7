import * as z from 'zod'
import { formatCount, plural } from '../format'
import { groupBy } from '../group-by'
import { hex16, hex32 } from '../protocol/ids'
import type { EnvelopeSummary } from '../wire/envelope'
import type { ErrorGroupDetail } from '../wire/error-groups'
import { adviceFor } from '../wire/loss-advice'
import { BY_TEXT, lossReason, lossUnit, withDeadLetters } from '../wire/loss-text'
import type { Loss, Losses } from '../wire/losses'
import type { SignalRow } from '../wire/signal'
import { deliveryStatusText, reasonText } from '../wire/status-text'
import { type Answer, cursorInput, fact, joined, type Line, line, own, type Section, timeOf } from './answer'
import { checkLine } from './doctor-check'
import { explainEnvelope } from './explain-envelope'
import { received } from './received'
import { AskError, type AskSources, type DoctorCheck } from './sources'
import { defineVerb } from './verb'

/** Losses that an answer has. */
const MOST_LOSSES = 20
/** Client reports that are read, and those that an answer has. */
const READ_REPORTS = 200
const MOST_REPORTS = 10
const REPORTED_WITHIN_MS = 60_000
/** Envelopes of a trace that are read. */
const MOST_ENVELOPES = 50
/** Events of an error group that are read. */
const MOST_EVENTS = 20

/** `explain`: what became of an item, or why nothing arrives. */
export const explainVerb = defineVerb({
  name: 'explain',
  description:
    'Why an item was dropped, limited, altered, lost or refused; without id why nothing arrives. With app it requests that app.',
  isReadOnly: false,
  input: {
    id: z
      .string()
      .max(100)
      .optional()
      .describe(
        'envelope number or NUMBER.ITEM, event, error group, trace, TRACE/SPAN; or a data category or reason such as error, before_send',
      ),
    app: z
      .string()
      .max(500)
      .optional()
      .describe('address of your app: its page and tunnel are requested, and one empty envelope is sent'),
    tunnel: z.string().max(200).optional().describe('path of its tunnel, such as /tunnel'),
    dsn: z.string().max(500).optional().describe('the DSN of your SDK'),
    cursor: cursorInput,
  },
  run: async (sources, { id, app = null, tunnel = null, dsn = null }) => {
    if (id === undefined) {
      const checks = await sources.doctor({ app, tunnel, dsn })
      const isAnswering = checks.some(({ id: check, state }) => check === 'collector' && state === 'ok')
      const losses = isAnswering ? await sources.client.losses({ signal: sources.signal }) : null
      return doctorAnswer(checks, losses)
    }
    if (app ?? tunnel ?? dsn) throw new AskError('app, tunnel and dsn check the whole path: leave out id')
    return explainId(sources, id)
  },
})

/** The answer about the path from the SDK to upstream: broken checks with their fixes, then what was lost. */
export function doctorAnswer(checks: readonly DoctorCheck[], losses: Losses | null): Answer {
  const of = (state: DoctorCheck['state']): readonly DoctorCheck[] => checks.filter((check) => check.state === state)
  const broken = of('broken')
  return {
    heading: own(broken.length === 0 ? 'No check failed' : `${plural(broken.length, 'check')} failed`),
    verdict: broken.some(({ id }) => id === 'collector') ? 'incomplete' : broken.length > 0 ? 'fail' : 'pass',
    sections: [
      { heading: null, rows: broken.map(checkLine) },
      { heading: 'Could not be checked', rows: of('skipped').map(checkLine) },
      { heading: 'In order', rows: of('ok').map(checkLine) },
      ...(losses === null ? [] : lossSections(losses)),
    ],
    next: [{ verb: 'search', args: { kind: 'envelopes' } }],
  }
}

async function explainId(sources: AskSources, id: string): Promise<Answer> {
  const { client, signal } = sources
  const [, number, item] = /^#?(\d{1,15})(?:\.(\d{1,6}))?$/.exec(id) ?? []
  if (number !== undefined) return explainEnvelope(sources, Number(number), item === undefined ? null : Number(item))
  const [trace = '', span] = id.split('/')
  const traceId = hex32(trace)
  if (traceId === null) return explainLosses(sources, id)
  if (span !== undefined) {
    const spanId = hex16(span)
    if (spanId === null)
      throw new AskError(`a span must be TRACE/SPAN with 32 and 16 hex digits, got ${JSON.stringify(id)}`)
    const found = await client.span(traceId, spanId, signal)
    return found === null ? missing(sources, id) : explainEnvelope(sources, found.span.seq, found.span.item)
  }
  const event = await client.event(traceId, signal)
  if (event !== null) return explainEnvelope(sources, event.seq, event.item)
  const { envelopes, next } = await client.envelopes({
    filter: { trace: traceId, own: 'show' },
    limit: MOST_ENVELOPES,
    signal,
  })
  if (envelopes.length === 0) {
    const group = await client.errorGroup(traceId, signal)
    return group === null ? missing(sources, id) : explainGroup(sources, group)
  }
  const [only] = envelopes
  if (envelopes.length === 1 && only !== undefined) return explainEnvelope(sources, only.seq, null)
  const worst = envelopes.find(({ deliveryStatus: { name } }) => !['accepted', 'kept', 'copy'].includes(name)) ?? only
  return {
    heading: own(`Trace ${traceId} is in ${envelopes.length}${next === null ? '' : ' or more'} envelopes`),
    sections: [
      {
        heading: null,
        rows: envelopes.map(({ seq, receivedAt, deliveryStatus: { name, reason }, items, eventId }) =>
          joined([
            own(`envelope ${seq}`),
            own(new Date(receivedAt).toISOString()),
            ...[...countTypes(items)].map(([type, count]) => line`${count} ${received('type', type)}`),
            items.some(({ type }) => type === 'event') ? own(eventId) : null,
            reason === null ? own(name) : line`${own(name)}: ${received('reason', reason)}`,
          ]),
        ),
      },
      {
        heading: 'Client reports of the same minute, which name no trace',
        rows: await reportLines(sources, await reportsNear(sources, envelopes)),
      },
    ],
    next: worst === undefined ? [] : [{ verb: 'explain', args: { id: String(worst.seq) } }],
  }
}

/** How many items of each type. */
const countTypes = (items: readonly { readonly type: string }[]): ReadonlyMap<string, number> =>
  new Map([...groupBy(items, ({ type }) => type)].map(([type, { length }]) => [type, length]))

/** The newest events of an error group with their delivery statuses. */
async function explainGroup(
  { client, signal }: AskSources,
  { hash, title, count, events }: ErrorGroupDetail,
): Promise<Answer> {
  const shown = events.slice(0, MOST_EVENTS)
  const found = await Promise.all(shown.map(({ eventId }) => client.event(eventId, signal)))
  return {
    heading: own(`Error group ${hash}`),
    sections: [
      {
        heading: null,
        rows: [
          joined([received('title', title), own(plural(count, 'event'))]),
          ...found.map((event) =>
            event === null
              ? null
              : joined([
                  own(`event ${event.eventId}`),
                  own(`envelope ${event.seq}`),
                  own(new Date(event.receivedAt).toISOString()),
                  own(deliveryStatusText(event.deliveryStatus).word),
                  event.deliveryStatus.reason === null
                    ? null
                    : received('reason', reasonText(event.deliveryStatus.reason)),
                ]),
          ),
        ],
        leftOut: {
          count: count - shown.length,
          noun: 'earlier event',
          call: { verb: 'get', args: { id: hash } },
        },
      },
    ],
    next: shown.slice(0, 1).map(({ eventId }) => ({ verb: 'explain', args: { id: eventId } })),
  }
}

/** About something that is not stored: where it may have been lost. */
async function missing({ client, signal, doctor }: AskSources, id: string): Promise<Answer> {
  const [storage, losses, checks] = await Promise.all([
    client.storage(signal),
    client.losses({ signal }),
    doctor({ app: null, tunnel: null, dsn: null }),
  ])
  const { records, byAge, expired } = storage.evicted
  const evicted = records + byAge + expired
  return {
    heading: own(`${id} is not stored`),
    verdict: 'fail',
    sections: [
      {
        heading: null,
        rows: [
          own(
            'it never arrived, was refused or cleared, or its SDK discarded it before sending (also when it was not sampled)',
          ),
          evicted === 0
            ? own('nothing was evicted from this collector')
            : own(`${plural(evicted, 'record')} were evicted: it may have been one`),
        ],
      },
      {
        heading: 'Wrong now',
        rows: checks.filter(({ state, id: check }) => state === 'broken' && check !== 'dsn').map(checkLine),
      },
      ...lossSections(losses),
    ],
    next: [
      { verb: 'explain', args: {} },
      { verb: 'status', args: {} },
    ],
  }
}

/** The losses of a data category, or for a reason. */
async function explainLosses(sources: AskSources, name: string): Promise<Answer> {
  const { client, signal } = sources
  const all = await client.losses({ signal })
  const isNamed = ({ category, reason }: { readonly category: string | null; readonly reason: string }): boolean =>
    category === name || reason === name
  const found = { losses: withDeadLetters(all).filter(isNamed), notSent: all.notSent.filter(isNamed), deadLetters: [] }
  if (found.losses.length + found.notSent.length === 0) {
    const named = [...withDeadLetters(all), ...all.notSent].flatMap(({ category, reason }) => [
      category ?? reason,
      reason,
    ])
    const known = named.length === 0 ? 'nothing was lost' : [...new Set(named)].slice(0, 12).join(', ')
    throw new AskError(
      `id must be an envelope number, an event, an error group, a trace, TRACE/SPAN, or a category or reason of a loss (${known}), got ${JSON.stringify(name)}`,
    )
  }
  const { signals } = await client.signals('client_report', { limit: READ_REPORTS, signal })
  const reports = signals.filter(({ fields }) => fields.category === name || fields.reason === name)
  const [newest] = reports
  return {
    heading: own('Losses'),
    sections: [
      ...lossSections(found),
      { heading: 'Newest client reports about it', rows: await reportLines(sources, reports.slice(0, MOST_REPORTS)) },
    ],
    next: [
      ...(newest === undefined ? [] : [{ verb: 'get', args: { id: String(newest.seq) } }]),
      { verb: 'status', args: {} },
    ],
  }
}

/** Client reports that arrived with these envelopes, or up to a minute later: SDKs collect them so long. */
async function reportsNear(
  { client, signal }: AskSources,
  envelopes: readonly Pick<EnvelopeSummary, 'receivedAt'>[],
): Promise<readonly SignalRow[]> {
  const times = envelopes.map(({ receivedAt }) => receivedAt)
  const [from, to] = [Math.min(...times), Math.max(...times) + REPORTED_WITHIN_MS]
  const { signals } = await client.signals('client_report', { limit: READ_REPORTS, signal })
  return signals.filter(({ receivedAt }) => receivedAt >= from && receivedAt <= to).slice(0, MOST_REPORTS)
}

/** Client reports about one category and reason each: which SDK sent them, and when. */
const reportLines = ({ client, signal }: AskSources, reports: readonly SignalRow[]): Promise<readonly Line[]> =>
  Promise.all(
    reports.map(async ({ receivedAt, fields, seq }) =>
      joined([
        timeOf(receivedAt),
        joined([received('quantity', fields.quantity), received('category', fields.category)], ' '),
        received('reason', fields.reason),
        fact('sdk', received('sdk', (await client.envelope(seq, signal))?.sdk ?? null)),
        fact('envelope', seq),
      ]),
    ),
  )

function lossSections({
  losses,
  notSent,
  deadLetters,
}: Pick<Losses, 'losses' | 'notSent' | 'deadLetters'>): readonly Section[] {
  const section = (heading: string, rows: readonly Line[]): Section => ({
    heading,
    rows: rows.slice(0, MOST_LOSSES),
    leftOut: { count: rows.length - MOST_LOSSES, noun: 'reason', call: null },
  })
  return [
    section('Lost', withDeadLetters({ losses, deadLetters }).map(lossLine)),
    section(
      'Not sent by choice: filters, sampling and integrations of the SDK, such as the one for duplicates, according to client reports',
      notSent.map(
        ({ category, reason, quantity }) =>
          line`${own(formatCount(quantity))} ${received('category', category)}: ${received('reason', reason)}, ${received('meaning', lossReason({ by: 'sdk', reason }))}`,
      ),
    ),
  ]
}

/** A loss: how many, by whom, why, and what to do. */
const lossLine = (loss: Loss): Line =>
  joined([
    line`${own(formatCount(loss.quantity))} ${received('category', lossUnit(loss))} lost by ${own(BY_TEXT[loss.by].word)}`,
    line`${received('reason', loss.reason)}: ${received('meaning', lossReason(loss))}`,
    own(adviceFor(loss).text),
  ])
