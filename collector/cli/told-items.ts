import { plainText } from '../../lib/format'
import { SIGNAL_KINDS } from '../../lib/protocol/items/signal'
import type { Evidence, SeenItem, SeenSegment, SeenSignal, SeenSpan } from '../../lib/verdict/evidence/evidence'
import { fieldsOf, KINDS } from '../../lib/verdict/expectations/kinds'
import { spanLabel } from '../../lib/verdict/rules/describe'
import { durationText, truncate } from '../../lib/verdict/text'

const dashed = (kind: string): string => kind.replaceAll('_', '-')

/** What can be waited for and followed, as it is typed. `item` is an item as it was framed, of whatever type. */
export const ITEM_KINDS: readonly string[] = [
  'transaction',
  'error',
  'span',
  'breadcrumb',
  ...SIGNAL_KINDS.map(dashed),
  'item',
]

/** Parts of what another line tells already: followed only where they are asked for. */
const PARTS: ReadonlySet<string> = new Set(['span', 'breadcrumb', 'item'])

/** `clientReport` and `client_report` are `client-report`; `null` where it is no kind. */
export function itemKind(typed: string): string | null {
  const kind = dashed(typed.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
  return ITEM_KINDS.includes(kind) ? kind : null
}

/** The names at the top of an item of a kind, as it is typed. Those that the kit has no word for are signals, as logs are. */
export const fieldsOfKind = (kind: string): readonly string[] => fieldsOf(KINDS.find((one) => one === kind) ?? 'log')

/** One thing that arrived, for a line. */
export interface ToldItem {
  readonly kind: string
  readonly seq: number
  readonly item: number
  /** ms since the epoch. */
  readonly receivedAt: number
  readonly copy: boolean
  readonly service: string | null
  readonly name: string
  /** How long it took, its level, or what is wrong with it; `null` where there is nothing to say. */
  readonly detail: string | null
  readonly traceId: string | null
  readonly eventId: string | null
  /** All of it, as the kit gives it. */
  readonly value: object
}

/**
 * What arrived, in the order in which it came.
 * @param wanted kinds; empty for all that are no parts of another, and what could be read as none of them
 */
export function toldItems(evidence: Evidence, wanted: ReadonlySet<string>): readonly ToldItem[] {
  const isWanted = (kind: string): boolean => (wanted.size === 0 ? !PARTS.has(kind) : wanted.has(kind))
  const told: ToldItem[] = []
  if (isWanted('transaction')) for (const one of evidence.segments) told.push(timed('transaction', one))
  if (isWanted('error'))
    for (const one of evidence.events)
      told.push({ ...placed('error', one, one), eventId: one.eventId, name: one.title, detail: one.level })
  if (isWanted('span')) for (const one of evidence.spans) told.push(timed('span', one))
  if (isWanted('breadcrumb'))
    for (const one of evidence.breadcrumbs)
      told.push({
        ...placed('breadcrumb', one, { service: null, traceId: null }),
        eventId: one.eventId,
        name: [one.category, one.message].filter((part) => part !== null).join(' '),
        detail: one.level,
      })
  for (const one of evidence.signals) if (isWanted(dashed(one.kind))) told.push(signalOf(one))
  // Of what could not be read, and of a type that nobody knows, no other line tells.
  const isTold = new Set((wanted.size === 0 ? [...told, ...evidence.spans] : []).map(placeOf))
  for (const one of evidence.items)
    if (wanted.size === 0 ? one.problem !== null || !isTold.has(placeOf(one)) : isWanted('item')) told.push(framed(one))
  return told.sort((a, b) => a.seq - b.seq || a.item - b.item)
}

type Placed = Pick<ToldItem, 'seq' | 'item' | 'receivedAt' | 'copy'>

const placed = (
  kind: string,
  one: Placed,
  { service, traceId }: { readonly service: string | null; readonly traceId: string | null },
) => ({
  kind,
  seq: one.seq,
  item: one.item,
  receivedAt: one.receivedAt,
  copy: one.copy,
  service,
  traceId,
  value: one,
})

const timed = (kind: string, one: SeenSegment | SeenSpan): ToldItem => ({
  ...placed(kind, one, one),
  eventId: null,
  name: spanLabel(one),
  detail: durationText(one.endUs - one.startUs),
})

const signalOf = (one: SeenSignal): ToldItem => ({
  ...placed(dashed(one.kind), one, one),
  eventId: one.eventId,
  name: one.name,
  detail: one.level,
})

const framed = (one: SeenItem): ToldItem => ({
  ...placed('item', one, { service: null, traceId: one.traceId }),
  eventId: one.eventId,
  name: one.type,
  detail: one.problem,
})

const placeOf = ({ seq, item }: { readonly seq: number; readonly item: number }): string => `${seq}.${item}`

const MOST_CHARACTERS = 160
const GLYPHS = { kept: '●', pending: '…', copy: '◦' } as const

/**
 * One plain line: time, service, kind, name, duration or level, where it stands, and what becomes of it. Text of others
 * is made safe.
 * @param localOnly nothing leaves this machine, so what is here is kept and no more
 */
export function itemLine(told: ToldItem, { localOnly }: { readonly localOnly: boolean }): string {
  const deliveryStatus = told.copy ? 'copy' : localOnly ? 'kept' : 'pending'
  return [
    new Date(told.receivedAt).toISOString().slice(11, 23),
    truncate(told.service ?? '-').padEnd(8),
    told.kind.padEnd(13),
    truncate(told.name, MOST_CHARACTERS),
    ...(told.detail === null ? [] : [`(${truncate(told.detail, MOST_CHARACTERS)})`]),
    `#${told.seq}`,
    `${GLYPHS[deliveryStatus]} ${deliveryStatus}`,
  ].join(' ')
}

/** One line of JSON, in which a terminal finds nothing to obey. Of an item as it was framed the payload is there as text, where it is text. */
export const itemJson = ({ kind, value }: ToldItem): string =>
  plainText(
    JSON.stringify({ kind, ...value }, (_name, part: unknown) =>
      part instanceof Uint8Array ? Buffer.from(part).toString('utf8') : part,
    ),
  )
