import type { SeenBreadcrumb, SeenEvent, SeenItem, SeenSegment, SeenSignal, SeenSpan } from '../evidence/evidence'
import { spanWords } from '../rules/span-words'
import type { Kind, Kinds } from './kinds'
import { cut, durationText } from './shown'

const MOST_SIGNS = 80

const signalWords = ({ level, name }: SeenSignal): string => (level === null ? name : `${level} ${name}`)

const WORDS: { readonly [Name in Kind]: (item: Kinds[Name]) => string } = {
  transaction: spanWords,
  span: spanWords,
  error: ({ title }: SeenEvent) => title,
  log: signalWords,
  breadcrumb: ({ category, message, type }: SeenBreadcrumb) =>
    [category ?? type, message].filter((word) => word !== null).join(' ') || '(says nothing)',
  session: signalWords,
  clientReport: ({ fields, name }: SeenSignal) =>
    typeof fields.quantity === 'number' ? `${fields.quantity} ${name}` : name,
  item: ({ type }: SeenItem) => type,
}

/** One item in a few words, safe to print: `http.client GET /api/cart`, `TypeError: x is not a function`. */
export const wordsOf = <Name extends Kind>(kind: Name, item: Kinds[Name]): string => cut(WORDS[kind](item), MOST_SIGNS)

/** A kind as a noun: `client report`. */
export const nounOf = (kind: Kind): string => (kind === 'clientReport' ? 'client report' : kind)

/** A span or segment with how long it took: `pageload /checkout, 1.20 s`. */
export const timedWords = (span: SeenSpan | SeenSegment): string =>
  `${cut(spanWords(span), MOST_SIGNS)}, ${durationText(span.endUs - span.startUs)}`
