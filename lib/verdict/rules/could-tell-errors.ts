import { REPORT_CATEGORY } from '../../protocol/data-category'
import type { Evidence } from '../evidence/evidence'
import type { Verdict } from '../verdict'

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
