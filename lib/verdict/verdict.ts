/** Where in what was recorded something was found, so that a board can open it. */
export interface FoundAt {
  readonly seq: number
  /** −1 where it is in the envelope's own header. */
  readonly item: number
  readonly traceId?: string | null
  readonly eventId?: string | null
  readonly spanId?: string | null
}

/** One thing that does not hold. */
export interface Finding {
  /** What it is about, for a person: `pageload /checkout`, `TypeError: x is not a function`. */
  readonly about: string
  /** `null` where it is in nothing that was recorded: a request that the browser made. */
  readonly at: FoundAt | null
  /** The way through the payload, such as `exception.values.0.value`; empty where it is the whole. */
  readonly path: string
  /** What was seen there. Of what is secret the rule and never the value. */
  readonly actual: string
  readonly expected: string
  /** The line of one's own code that it came from, where a stack names it, as the stack names its file. */
  readonly frame?: SourceLine | null
}

export interface SourceLine {
  readonly file: string
  /** From 1 on. */
  readonly line: number
}

/**
 * `incomplete` is neither: nothing that it could be judged from was recorded, or what was is not whole. Nothing measured
 * is never a pass.
 */
export type Verdict =
  /** @see judged so many things were looked at: never 0. */
  | { readonly verdict: 'pass'; readonly judged: number }
  /** @see findings the first 10,000; @see found how many they are altogether. */
  | { readonly verdict: 'fail'; readonly judged: number; readonly found: number; readonly findings: readonly Finding[] }
  | { readonly verdict: 'incomplete'; readonly why: string }

/** So many findings are told one by one. */
const TOLD_FINDINGS = 50
/** So many are kept until they are told: what a list or a baseline knows is taken away before. */
export const KEPT_FINDINGS = 10_000

/**
 * The verdict of what was looked at thing by thing.
 * @param nothing why nothing could be judged, told where `judged` is 0.
 */
export function verdictOf(judged: number, findings: readonly Finding[], nothing: string): Verdict {
  if (findings.length > 0)
    return { verdict: 'fail', judged, found: findings.length, findings: findings.slice(0, KEPT_FINDINGS) }
  return judged === 0 ? { verdict: 'incomplete', why: nothing } : { verdict: 'pass', judged }
}

/** The verdict as it is told: of its findings the first 50. */
export const toldOf = <Told extends Verdict>(verdict: Told): Told =>
  verdict.verdict === 'fail' ? { ...verdict, findings: verdict.findings.slice(0, TOLD_FINDINGS) } : verdict

/**
 * What an expectation answers: the verdict, and the words for it either way. A matcher that is negated turns `pass` and
 * `fail` round; `incomplete` stays what it is.
 */
export interface Answer {
  readonly verdict: Verdict
  /** What is said where it is expected and does not hold, or could not be judged. Of several lines, safe to print. */
  readonly told: string
  /** What is said where it is expected not to hold, and holds. */
  readonly toldNot: string
}

/** Where boards are: `http://localhost:3000`; `null` where nobody serves them, and nothing is linked. */
export interface Boards {
  readonly appUrl: string | null
}

export const NO_BOARDS: Boards = { appUrl: null }

/** Where a board shows it: an event by its id, a span in its trace, else the envelope that brought it. */
export function pathOf({ seq, eventId, traceId, spanId }: FoundAt): string {
  if (eventId) return `/events/${encodeURIComponent(eventId)}`
  if (!traceId) return `/envelopes/${seq}`
  const trace = `/traces/${encodeURIComponent(traceId)}`
  return spanId ? `${trace}?span=${encodeURIComponent(spanId)}` : trace
}

/** The whole address of what was found; `null` where nobody serves the boards, or there is nothing to open. */
export const linkTo = (at: FoundAt | null, { appUrl }: Boards): string | null =>
  at === null || appUrl === null ? null : `${appUrl.replace(/\/+$/, '')}${pathOf(at)}`

/** Where it was found, for a person without boards to open: `envelope 12, item 0`. Item -1 is the envelope's own header. */
export const placeOf = ({ seq, item }: FoundAt): string =>
  item < 0 ? `envelope ${seq}, its header` : `envelope ${seq}, item ${item}`
