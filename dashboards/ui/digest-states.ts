import type { EnvelopeSummary } from '../../lib/wire/envelope'

/** How far the digest is, in a word and a sentence. */
export function digestWords(digest: EnvelopeSummary['digest']): { readonly word: string; readonly means: string } {
  if (digest === 'pending') return { word: 'waiting', means: 'On disk; its rows are not written yet.' }
  if (digest === 'digested') return { word: 'digested', means: 'Its rows are written.' }
  if (digest === 'evicted')
    return { word: 'rows gone', means: 'Its rows made room for others. The record is kept, and relayed all the same.' }
  return { word: 'undigested', means: 'The digest could not read it. It is kept and relayed all the same.' }
}
