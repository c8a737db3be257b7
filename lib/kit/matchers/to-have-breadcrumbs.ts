import type { Evidence, SeenBreadcrumb, SeenEvent } from '../../verdict/evidence/evidence'
import { breadcrumbsInOrder } from '../../verdict/expectations/breadcrumb-order'
import type { Criteria } from '../../verdict/expectations/criteria'
import { boardsOf } from '../item-context'
import { isEvent, judgeFound, type MatcherResult, type MatcherState, recordingOf, resultOf } from './matcher'

export function toHaveBreadcrumbs(
  this: MatcherState,
  received: unknown,
  expected: readonly Criteria<SeenBreadcrumb>[],
): MatcherResult | Promise<MatcherResult> {
  if (isEvent(received)) return resultOf(breadcrumbsInOrder(evidenceOf(received), expected, boardsOf(received)), this)
  const meant = 'a recording (telemetry) or an error (await telemetry.waitFor.error(…))'
  const recording = recordingOf('toHaveBreadcrumbs', received, meant)
  const judge = () => breadcrumbsInOrder(recording.evidence(), expected, recording.boards)
  return judgeFound(recording, this, judge).then((answer) => resultOf(answer, this))
}

function evidenceOf(event: SeenEvent): Evidence {
  const { seq, item, journal, receivedAt, stamp, page, copy, eventId } = event
  const seen = { seq, item, journal, receivedAt, stamp, page, copy, eventId }
  const breadcrumbs = event.breadcrumbs.map((crumb, index) => ({ ...crumb, ...seen, index }))
  return { envelopes: [], items: [], events: [event], segments: [], spans: [], signals: [], breadcrumbs }
}
