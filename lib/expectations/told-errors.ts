import type { Verdict } from '../contract/verdict'
import type { Evidence, SeenEvent } from '../evidence/evidence'
import { REPORT_CATEGORY } from '../protocol/data-category'
import { cut } from './shown'

/** Levels of an event that tell of an error. */
const ERROR_LEVELS: readonly string[] = ['error', 'fatal']

/** Events of level error and fatal, each once; the same id told again as a mere message takes nothing back. */
export const toldErrors = ({ events }: Evidence): readonly SeenEvent[] => [
  ...new Map(
    events.filter(({ level }) => ERROR_LEVELS.includes(level)).map((event) => [event.eventId, event]),
  ).values(),
]

/**
 * Could an error have been seen? An envelope without items tells of nothing, nor does a copy, which says that the path was
 * another; a client report tells of what was not sent. Of an event that could not be read nobody knows.
 * @returns how many items could have told of one, or why it is not known.
 */
export function couldTellErrors({ items }: Evidence): number | Extract<Verdict, { readonly verdict: 'incomplete' }> {
  const onPath = items.filter(({ copy }) => !copy)
  const unread = onPath.find(({ type, problem }) => type === 'event' && problem !== null)
  if (unread !== undefined)
    return {
      verdict: 'incomplete',
      why: `The event of envelope ${unread.seq} could not be read: ${cut(unread.problem ?? '')}.`,
    }
  const telling = onPath.filter(({ category }) => category !== REPORT_CATEGORY).length
  if (telling > 0) return telling
  const why =
    items.length === 0
      ? 'nothing was recorded, so that no error could be seen'
      : 'of what was recorded nothing could have told of an error: copies and client reports cannot'
  return { verdict: 'incomplete', why }
}
