import type { SeenSpan } from '../evidence/evidence'
import { spanLabel } from './describe'
import { FINISH_REASON, isHeldOpen, type PageSegment } from './group-spans'

export interface OpenSpan {
  readonly span: SeenSpan
  readonly page: PageSegment
  /** Its page ended by a time-out, not because it was hidden, closed or left. */
  readonly isTimeout: boolean
}

const TIMEOUTS: ReadonlySet<unknown> = new Set(['heartbeatFailed', 'finalTimeout'])
const LEFT: ReadonlySet<unknown> = new Set(['cancelled', 'documentHidden', 'externalFinish'])

/**
 * Spans, but no requests, that were open when their pageload or navigation ended, and that ended in no other page.
 *
 * SDKs 8 to 11 end a page with the last child that ended by itself, and open children at the same time. The static
 * lifecycle marks those as cancelled, the streamed one does not. So an open child is one that ends with its page
 * and with another child that certainly ended, or the only such child of a page that timed out.
 */
export function openSpans(pages: readonly PageSegment[]): readonly OpenSpan[] {
  const atEnd = pages.map((page) => ({ page, last: endedWith(page) }))
  const open = new Set(atEnd.flatMap(({ last }) => last))
  const ended = new Set(pages.flatMap(({ children }) => children.filter((one) => !open.has(one)).map(spanLabel)))
  return atEnd.flatMap(({ page, last }) => {
    const isTimeout = TIMEOUTS.has(page.segment.attributes[FINISH_REASON])
    const held = last.filter(isHeldOpen)
    const isOpen = (span: SeenSpan): boolean =>
      span.status === 'cancelled' ||
      (isTimeout && held.length === 1) ||
      last.some((other) => other !== span && !areRelated(span, other) && hasEnded(other, ended))
    return held
      .filter((span) => !isRequest(span) && !ended.has(spanLabel(span)) && isOpen(span))
      .map((span) => ({ span, page, isTimeout }))
  })
}

function endedWith({ segment, children }: PageSegment): readonly SeenSpan[] {
  const reason = segment.attributes[FINISH_REASON]
  return TIMEOUTS.has(reason) || LEFT.has(reason) ? children.filter(({ endUs }) => endUs === segment.endUs) : []
}

const isRequest = ({ op }: SeenSpan): boolean => op?.startsWith('http.') === true

/** A request without a status may have been open. */
function hasEnded(span: SeenSpan, ended: ReadonlySet<string>): boolean {
  if (isRequest(span)) return span.attributes['http.response.status_code'] !== undefined
  return !isHeldOpen(span) || ended.has(spanLabel(span))
}

/** A function that returns ends its own span and that of its caller at once. */
const areRelated = (one: SeenSpan, other: SeenSpan): boolean =>
  one.parentSpanId === other.spanId || other.parentSpanId === one.spanId
