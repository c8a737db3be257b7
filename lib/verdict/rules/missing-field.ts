import type { Evidence, SeenEvent, SeenSegment } from '../evidence/evidence'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { atEvent, atSegment, spanLabel } from './describe'
import { pathIn } from './group-spans'

interface Lacks {
  readonly field: 'environment' | 'release'
  /** Segments that are judged; copies are left out. */
  readonly isJudged?: (segment: SeenSegment) => boolean
  readonly has: (one: SeenEvent | SeenSegment) => boolean
  readonly expected: string
}

/** Judges that each error event and segment has a field. */
export function judgeField(evidence: Evidence, { field, isJudged = () => true, has, expected }: Lacks): Verdict {
  const events = evidence.events.filter(({ copy }) => !copy)
  const segments = evidence.segments.filter((segment) => !segment.copy && isJudged(segment))
  const nothing = { actual: 'nothing', expected }
  const findings: readonly Finding[] = [
    ...events
      .filter((event) => !has(event))
      .map((event) => ({ about: event.title, at: atEvent(event), path: field, ...nothing })),
    ...segments
      .filter((segment) => !has(segment))
      .map((segment) => ({
        about: spanLabel(segment),
        at: atSegment(segment),
        path: pathIn(segment, field),
        ...nothing,
      })),
  ]
  return verdictOf(events.length + segments.length, findings, 'No error event or segment was recorded.')
}
