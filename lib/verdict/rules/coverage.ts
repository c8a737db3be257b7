import { REPORT_CATEGORY } from '../../protocol/data-category'
import type { Evidence, SeenEvent } from '../evidence/evidence'
import type { Verdict } from '../verdict'
import type { Case, Sender } from './rule'

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

/**
 * Could an error have been seen? An envelope without items tells of nothing, nor does a copy, which says that the path was
 * another; a client report tells of what was not sent. Of an event that could not be read nobody knows.
 * @returns how many items could have told of one, or why it is not known.
 */
export function couldTellErrors({ items }: Evidence): number | Extract<Verdict, { readonly verdict: 'incomplete' }> {
  const unread = whyUnread({ items })
  if (unread !== null) return { verdict: 'incomplete', why: unread }
  const telling = items.filter(({ copy, category }) => !copy && category !== REPORT_CATEGORY).length
  if (telling > 0) return telling
  const why =
    items.length === 0
      ? 'Nothing was recorded, so that no error could be seen.'
      : 'Of what was recorded nothing could have told of an error: copies and client reports cannot.'
  return { verdict: 'incomplete', why }
}

/** Why it is not known of an event whether it tells of an error: it could not be read. `null` where each could. */
export function whyUnread({ items }: Pick<Evidence, 'items'>): string | null {
  const unread = items.find(({ copy, type, problem }) => !copy && type === 'event' && problem !== null)
  return unread === undefined ? null : `The event of envelope ${unread.seq} could not be read: ${unread.problem}.`
}

/** Levels of an event that tell of an error. */
const ERROR_LEVELS: readonly string[] = ['error', 'fatal']

/** Events of level error and fatal, each once; the same id told again as a mere message takes nothing back. */
export const toldErrors = ({ events }: Evidence): readonly SeenEvent[] => [
  ...new Map(
    events.filter(({ level }) => ERROR_LEVELS.includes(level)).map((event) => [event.eventId, event]),
  ).values(),
]
