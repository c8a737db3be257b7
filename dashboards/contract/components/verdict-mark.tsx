import { FateGlyph } from '../../shared/fate-mark'
import type { VerdictLine, VerdictWord } from '../arrange/verdict-lines'
import styles from './verdict-mark.module.css'

const GLYPHS = {
  pass: 'accepted',
  fail: 'invalid',
  incomplete: 'pending',
  stated: 'dropped',
} as const satisfies Readonly<Record<VerdictWord, Parameters<typeof FateGlyph>[0]['name']>>

/** A verdict: a glyph and its word. */
export function VerdictMark({ line: { word, isWarning } }: { readonly line: Omit<VerdictLine, 'says'> }) {
  return (
    <span className={styles.verdict} data-tone={isWarning ? 'warning' : word}>
      <FateGlyph name={GLYPHS[word]} /> {word}
      {isWarning && <span className={styles.beside}>warning</span>}
    </span>
  )
}
