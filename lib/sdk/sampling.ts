import { isBoard, isOnTheLine } from './page'

/** One-span segments that Next makes when it starts and when it loads a route: they tell nothing about the app. */
const START_UP = /^(?:load (?:app )?route module|load instrumentation module|register instrumentation)$/

/** What an SDK tells its `tracesSampler` of a segment that begins. */
export interface SegmentStart {
  readonly name: string
  readonly attributes?: Readonly<Record<string, unknown>>
  /** The rate at which its trace is sampled where it came from; the given one where it begins here. */
  readonly inheritOrSampleWith: (rate: number) => number
}

/** How much of such a segment is recorded, 0 to 1: what a caller does not sample leaves no trace here either. */
export const sampleRate = ({ name, attributes, inheritOrSampleWith }: SegmentStart): number =>
  isTraced(name, attributes) ? inheritOrSampleWith(1) : 0

/**
 * Is this segment recorded? Nothing on the line, and nothing that looks at it, is: measured without this, a live board
 * makes an envelope per poll, for ever. At a segment's start its name is only the method; the path is an attribute.
 */
export function isTraced(name: string, attributes: Readonly<Record<string, unknown>> | undefined): boolean {
  if (START_UP.test(name)) return false
  const target = String(attributes?.['http.target'] ?? attributes?.['url.path'] ?? '')
  return !isOnTheLine(target) && !isBoard(target)
}
