import { paragraphs } from '../verdict/expectations/explain'
import type { Trace } from '../verdict/expectations/trace'
import { type Boards, type ExpectationResult, NO_BOARDS } from '../verdict/verdict'

const boardsOfItems = new WeakMap<object, Boards>()

/** Remembers the boards of an item that a recording returned, for links in failures about that item. */
export function attachBoards<Item extends object>(item: Item, boards: Boards): Item {
  boardsOfItems.set(item, boards)
  return item
}

export const boardsOf = (item: object): Boards => boardsOfItems.get(item) ?? NO_BOARDS

const hints = new WeakMap<object, string>()

/** Remembers the recording's hint for a trace without spans, for failures about that trace. */
export function attachHint(trace: Trace, emptyHint: string | null): Trace {
  if (emptyHint !== null && trace.spans.length === 0) hints.set(trace, emptyHint)
  return trace
}

/** Appends the hint of a trace to an answer about it. */
export const withTraceHint = (trace: Trace, answer: ExpectationResult): ExpectationResult =>
  appendHint(answer, hints.get(trace) ?? null)

export const appendHint = (answer: ExpectationResult, emptyHint: string | null): ExpectationResult =>
  emptyHint === null || answer.verdict.verdict === 'pass' || answer.message.includes(emptyHint)
    ? answer
    : { ...answer, message: paragraphs([[answer.message], [emptyHint]]) }

const doubts = new WeakMap<Trace, readonly string[]>()

/** Remembers why more of a trace may arrive, for matchers that need all of it. */
export function attachDoubts(trace: Trace, reasons: readonly string[]): Trace {
  doubts.set(trace, reasons)
  return trace
}

export const doubtsOf = (trace: Trace): readonly string[] => doubts.get(trace) ?? []
