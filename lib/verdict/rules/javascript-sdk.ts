import type { Evidence } from '../evidence/evidence'

/**
 * Was it sent by an SDK of the JavaScript family? The settings of this contract are theirs; what another SDK does by its
 * own settings breaks none of them, nor what a script posts that names none. That of React Native has screens for pages, and
 * other time-outs. An item names it, or else its envelope.
 */
export function javaScriptSender({
  envelopes,
}: Evidence): (sent: { readonly seq: number; readonly sdk?: string | null }) => boolean {
  const ofEnvelope = new Map(envelopes.map(({ seq, sdk }) => [seq, sdk]))
  return ({ seq, sdk }) => /^sentry\.javascript\.(?!react-native)/.test(sdk ?? ofEnvelope.get(seq) ?? '')
}
