import { parseEvent } from './event'
import type { ParseSignals } from './signal'
import { parseSpanContainer } from './span'
import { parseTransaction } from './transaction'

/** Item types that become errors, segments and spans: each has its own way through `collector/digest`. */
export const ITEM_PARSERS = {
  event: parseEvent,
  transaction: parseTransaction,
  span: parseSpanContainer,
} as const

/**
 * Item types that become signals. A new one is one file and one line here; what it counts as stands in
 * `lib/protocol/data-category.ts`. Every type that is in neither list is kept, counted, shown raw and relayed.
 */
export const SIGNAL_PARSERS: Readonly<Record<string, ParseSignals>> = {}

export type ParsedItemType = keyof typeof ITEM_PARSERS

export const isParsedType = (type: string): type is ParsedItemType => Object.hasOwn(ITEM_PARSERS, type)

/** How a type is read as signals; `null` when it is not. The type is the sender's word, so nothing inherited counts. */
export const signalParserOf = (type: string): ParseSignals | null =>
  (Object.hasOwn(SIGNAL_PARSERS, type) ? SIGNAL_PARSERS[type] : undefined) ?? null
