import { nameHint } from '../../config/nearest'
import { plainText } from '../../format'
import { SIGNAL_KINDS } from '../../protocol/items/signal'
import { fail, type Result, succeed } from '../../protocol/result'
import type {
  Evidence,
  ItemPosition,
  SeenItem,
  SeenSegment,
  SeenSignal,
  SeenSpan,
} from '../../verdict/evidence/evidence'
import { fieldsOf, KINDS } from '../../verdict/expectations/kinds'
import { spanDuration, spanLabel } from '../../verdict/rules/describe'
import { truncate } from '../../verdict/text'

const dashed = (kind: string): string => kind.replaceAll('_', '-')

/** The kinds of `wait` and `tail`. `item` is an envelope item of any type, unparsed. */
export const ITEM_KINDS: readonly string[] = [
  'transaction',
  'error',
  'span',
  'breadcrumb',
  ...SIGNAL_KINDS.map(dashed),
  'item',
]

/** Parts of other items, which are printed only on request. */
const PARTS: ReadonlySet<string> = new Set(['span', 'breadcrumb', 'item'])

/** Reads `clientReport`, `client_report` and `client-report` as the same kind; null for an unknown one. */
export function itemKind(typed: string): string | null {
  const kind = dashed(typed.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
  return ITEM_KINDS.includes(kind) ? kind : null
}

/** Reads kinds separated by commas; none is the empty set. @returns a message for an unknown kind */
export function readKinds(given: string | null): Result<ReadonlySet<string>, string> {
  const kinds = new Set<string>()
  for (const typed of given?.split(',') ?? []) {
    const kind = itemKind(typed.trim())
    if (kind === null) return fail(`unknown kind ${JSON.stringify(typed)}; ${nameHint(typed, ITEM_KINDS)}`)
    kinds.add(kind)
  }
  return succeed(kinds)
}

/** The top-level fields of a kind. Kinds that are unknown to the kit are signals, which have the fields of logs. */
export const fieldsOfKind = (kind: string): readonly string[] => fieldsOf(KINDS.find((one) => one === kind) ?? 'log')

export interface ItemDescription {
  readonly kind: string
  readonly seq: number
  readonly item: number
  readonly receivedAt: number
  readonly copy: boolean
  readonly service: string | null
  readonly name: string
  /** Duration, level or problem. */
  readonly detail: string | null
  readonly traceId: string | null
  readonly eventId: string | null
  readonly value: object
}

/** In the order of arrival. @param kinds empty for all except parts; then also items that cannot be parsed */
export function describeItems(evidence: Evidence, kinds: ReadonlySet<string>): readonly ItemDescription[] {
  const isSelected = (kind: string): boolean => (kinds.size === 0 ? !PARTS.has(kind) : kinds.has(kind))
  const items: ItemDescription[] = []
  if (isSelected('transaction')) for (const one of evidence.segments) items.push(timed('transaction', one))
  if (isSelected('error'))
    for (const one of evidence.events)
      items.push({ ...described('error', one, one), eventId: one.eventId, name: one.title, detail: one.level })
  if (isSelected('span')) for (const one of evidence.spans) items.push(timed('span', one))
  if (isSelected('breadcrumb'))
    for (const one of evidence.breadcrumbs)
      items.push({
        ...described('breadcrumb', one, { service: null, traceId: null }),
        eventId: one.eventId,
        name: [one.category, one.message].filter((part) => part !== null).join(' '),
        detail: one.level,
      })
  for (const one of evidence.signals) if (isSelected(dashed(one.kind))) items.push(signal(one))
  // Items that cannot be parsed, and items of unknown types, have no other line.
  const hasLine = kinds.size === 0 ? positionsOf(items, evidence.spans) : new Set<string>()
  for (const one of evidence.items)
    if (kinds.size === 0 ? one.problem !== null || !hasLine.has(positionOf(one)) : isSelected('item'))
      items.push(unparsed(one))
  return items.sort((a, b) => a.seq - b.seq || a.item - b.item)
}

type Received = Pick<ItemDescription, 'seq' | 'item' | 'receivedAt' | 'copy'>

const described = (
  kind: string,
  one: Received,
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

const timed = (kind: string, one: SeenSegment | SeenSpan): ItemDescription => ({
  ...described(kind, one, one),
  eventId: null,
  name: spanLabel(one),
  detail: spanDuration(one),
})

const signal = (one: SeenSignal): ItemDescription => ({
  ...described(dashed(one.kind), one, one),
  eventId: one.eventId,
  name: one.name,
  detail: one.level,
})

const unparsed = (one: SeenItem): ItemDescription => ({
  ...described('item', one, { service: null, traceId: one.traceId }),
  eventId: one.eventId,
  name: one.type,
  detail: one.problem,
})

/** The positions of rows, as keys. */
export const positionsOf = (...lists: readonly (readonly ItemPosition[])[]): ReadonlySet<string> =>
  new Set(lists.flatMap((rows) => rows.map(positionOf)))

export const positionOf = ({ seq, item }: ItemPosition): string => `${seq}.${item}`

const MOST_CHARACTERS = 160
const GLYPHS = { kept: '●', pending: '…', copy: '◦' } as const

/** Escapes control characters. @param localOnly nothing is relayed, so that the status is never pending */
export function itemLine(item: ItemDescription, { localOnly }: { readonly localOnly: boolean }): string {
  const status = item.copy ? 'copy' : localOnly ? 'kept' : 'pending'
  return [
    new Date(item.receivedAt).toISOString().slice(11, 23),
    truncate(item.service ?? '-').padEnd(8),
    item.kind.padEnd(13),
    truncate(item.name, MOST_CHARACTERS),
    ...(item.detail === null ? [] : [`(${truncate(item.detail, MOST_CHARACTERS)})`]),
    `#${item.seq}`,
    `${GLYPHS[status]} ${status}`,
  ].join(' ')
}

/** One line of JSON without control characters. Prints the payload of an unparsed item as text. */
export const itemJson = ({ kind, value }: ItemDescription): string =>
  plainText(
    JSON.stringify({ kind, ...value }, (_name, part: unknown) =>
      part instanceof Uint8Array ? Buffer.from(part).toString('utf8') : part,
    ),
  )
