import { printable } from './printable'

const WORDS: Readonly<Record<string, string>> = {
  error: 'error',
  transaction: 'transaction',
  span: 'span',
  log_item: 'log',
  trace_metric: 'metric',
  session: 'session',
  attachment: 'attachment',
  replay: 'replay',
  profile: 'profile',
  monitor: 'check-in',
}

/** A data category as the unit of a quantity: `span`, `spans`; one without a word stands as it is. */
export function categoryWord(category: string, quantity: number): string {
  const word = Object.hasOwn(WORDS, category) ? WORDS[category] : undefined
  if (word === undefined) return printable(category)
  return quantity === 1 ? word : `${word}s`
}
