const BAD: ReadonlySet<string> = new Set(['error', 'fatal', 'critical', 'crashed', 'abnormal', 'missed', 'timeout'])
const WARN: ReadonlySet<string> = new Set(['warn', 'warning', 'errored', 'unhandled'])

/** The colour of a level or status; the word says the same. */
export function levelTone(level: string | null): 'bad' | 'warn' | 'quiet' {
  const word = level?.toLowerCase() ?? ''
  if (BAD.has(word)) return 'bad'
  return WARN.has(word) ? 'warn' : 'quiet'
}
