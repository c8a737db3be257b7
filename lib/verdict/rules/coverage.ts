import { REPORT_CATEGORY } from '../../protocol/data-category'
import type { Evidence, SeenEvent } from '../evidence/evidence'
import type { Verdict } from '../verdict'
import type { Case, SenderKind } from './rule'

/**
 * Returns a predicate: was it sent by a Sentry SDK for JavaScript? Only these SDKs have the settings of the contract.
 * The item names the SDK, or else its envelope. React Native is excluded: it has screens instead of pages, and other time-outs.
 */
export function fromJavaScriptSdk({
  envelopes,
}: Evidence): (sent: { readonly seq: number; readonly sdk?: string | null }) => boolean {
  const ofEnvelope = new Map(envelopes.map(({ seq, sdk }) => [seq, sdk]))
  return ({ seq, sdk }) => /^sentry\.javascript\.(?!react-native)/.test(sdk ?? ofEnvelope.get(seq) ?? '')
}

/**
 * The senders without any telemetry in the evidence: their rules are not checked, which is no defect. A page is recognised
 * by the Origin header of a browser, by its page header, or by browser spans and errors.
 */
export function silentSenders({ evidence, requests }: Case): ReadonlySet<SenderKind> {
  const { envelopes, events, segments } = evidence
  const hasPages =
    requests !== null ||
    envelopes.some(({ page, origin }) => page !== null || origin !== null) ||
    [...events, ...segments].some(({ service }) => service === 'browser')
  if (hasPages) return new Set()
  const hasJavaScript = [...envelopes, ...events, ...segments].some(fromJavaScriptSdk(evidence))
  return new Set(hasJavaScript ? ['pages'] : ['pages', 'JavaScript SDKs'])
}

/**
 * Would an error be in the evidence if one had happened? Empty envelopes, copies and client reports do not count, and an
 * event that cannot be parsed may be an error.
 * @returns the number of items that show the path works, or `incomplete`.
 */
export function errorVisibility({ items }: Evidence): number | Extract<Verdict, { readonly verdict: 'incomplete' }> {
  const unread = unreadableEventReason({ items })
  if (unread !== null) return { verdict: 'incomplete', why: unread }
  const telling = items.filter(({ copy, category }) => !copy && category !== REPORT_CATEGORY).length
  if (telling > 0) return telling
  const why =
    items.length === 0
      ? 'Nothing was recorded, so errors cannot be ruled out.'
      : 'Only copies and client reports were recorded, so errors cannot be ruled out.'
  return { verdict: 'incomplete', why }
}

export function unreadableEventReason({ items }: Pick<Evidence, 'items'>): string | null {
  const unread = items.find(({ copy, type, problem }) => !copy && type === 'event' && problem !== null)
  return unread === undefined ? null : `The event in envelope ${unread.seq} could not be parsed: ${unread.problem}.`
}

const ERROR_LEVELS: readonly string[] = ['error', 'fatal']

/** Events of level error and fatal, once per id. */
export const errorEvents = ({ events }: Evidence): readonly SeenEvent[] => [
  ...new Map(
    events.filter(({ level }) => ERROR_LEVELS.includes(level)).map((event) => [event.eventId, event]),
  ).values(),
]
