import type { JournalFact } from '../../lib/wire/journal'

/** `done` here, by whoever looks at this page: it is shown at once · `heard` of by a stream, one of perhaps many. */
export type Change = 'done' | 'heard'

const listeners = new Set<(change: Change) => void>()

/** These move what is waited for: an answer of upstream, what it decided, a dead letter that is sent, a script. */
const MOVE_DELIVERY: ReadonlySet<JournalFact['kind']> = new Set([
  'delivered',
  'decided',
  'pending',
  'cleared',
  'changed',
])

/** Tells those who follow no stream themselves what a board hears by its own. */
export function tellFact({ kind }: Pick<JournalFact, 'kind'>): void {
  if (MOVE_DELIVERY.has(kind)) tell('heard')
}

/** Tells those who follow no stream that something was done here, by whoever looks. */
export const tellDone = (): void => tell('done')

/** @returns what ends it. */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function tell(change: Change): void {
  for (const listener of listeners) listener(change)
}
