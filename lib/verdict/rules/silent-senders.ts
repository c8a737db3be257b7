import { javaScriptSender } from './javascript-sdk'
import type { Case, Sender } from './rule'

/**
 * Who sent nothing that is judged: then a rule of theirs is not judged for a reason that is no fault of anybody. A page is
 * known by what a browser adds, an Origin, by the name that it gives itself, or by what it tells.
 */
export function silentSenders({ evidence, requests }: Case): ReadonlySet<Sender> {
  const { envelopes, events, segments } = evidence
  const hasPages =
    requests !== null ||
    envelopes.some(({ page, origin }) => page !== null || origin !== null) ||
    [...events, ...segments].some(({ service }) => service === 'browser')
  if (hasPages) return new Set()
  const hasJavaScript = [...envelopes, ...events, ...segments].some(javaScriptSender(evidence))
  return new Set(hasJavaScript ? ['pages'] : ['pages', 'JavaScript SDKs'])
}
