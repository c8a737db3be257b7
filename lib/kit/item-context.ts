import { paragraphs } from '../verdict/expectations/explain'
import type { Trace } from '../verdict/expectations/trace'
import { type Answer, type Boards, NO_BOARDS } from '../verdict/verdict'

const boardsOfItems = new WeakMap<object, Boards>()

/** What a recording hands out knows where its boards are, so that a failure about it alone can link there. */
export function withBoards<Item extends object>(item: Item, boards: Boards): Item {
  boardsOfItems.set(item, boards)
  return item
}

export const boardsOf = (item: object): Boards => boardsOfItems.get(item) ?? NO_BOARDS

const hints = new WeakMap<object, string>()

/** A trace of which no span came keeps what may be amiss, for a failure about it alone. */
export function withHint(trace: Trace, ifNothingCame: string | null): Trace {
  if (ifNothingCame !== null && trace.spans.length === 0) hints.set(trace, ifNothingCame)
  return trace
}

/** An answer about such a trace says it. */
export const hinted = (trace: Trace, answer: Answer): Answer => saying(answer, hints.get(trace) ?? null)

/** What is said where it does not hold, with what may be amiss behind it. */
export const saying = (answer: Answer, ifNothingCame: string | null): Answer =>
  ifNothingCame === null || answer.verdict.verdict === 'pass' || answer.message.includes(ifNothingCame)
    ? answer
    : { ...answer, message: paragraphs([[answer.message], [ifNothingCame]]) }
