import { parseEvent } from './event'
import { parseSpanContainer } from './span'
import { parseTransaction } from './transaction'

/**
 * Item types that are read; every other type is kept, counted, shown raw and relayed. A new one is one file and one
 * line here; the compiler then asks for its line in `collector/digest/digest-envelope.ts`. What it counts as stands in
 * `lib/protocol/data-category.ts`.
 */
export const ITEM_PARSERS = {
  event: parseEvent,
  transaction: parseTransaction,
  span: parseSpanContainer,
} as const

export type ParsedItemType = keyof typeof ITEM_PARSERS

export const isParsedType = (type: string): type is ParsedItemType => Object.hasOwn(ITEM_PARSERS, type)
