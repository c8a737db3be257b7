import { Mark } from '../ui/delivery-status-mark'
import type { VerdictLine } from './verdict-lines'

const LOOKS = {
  pass: { glyph: 'accepted', tone: 'good' },
  fail: { glyph: 'invalid', tone: 'bad' },
  incomplete: { glyph: 'pending', tone: 'open' },
  stated: { glyph: 'dropped', tone: 'quiet' },
} as const

/** A verdict: a glyph and its word. */
export function VerdictMark({ line: { word, isWarning } }: { readonly line: Omit<VerdictLine, 'says'> }) {
  const { glyph, tone } = LOOKS[word]
  return (
    <Mark glyph={glyph} tone={isWarning ? 'warn' : tone}>
      {word === 'fail' ? <strong>{word}</strong> : word}
      {isWarning && <span className="faint">warning</span>}
    </Mark>
  )
}
