import { plainText } from '../format'
import type { SeenEvent } from '../verdict/evidence/evidence'
import { withoutSecrets } from '../verdict/text'
import type { Verdict } from '../verdict/verdict'
import { type ReadSource, sourceFrameOf } from './source-frame'

/** Errors with a hint. A message lists as many findings. */
const MOST_HINTS = 10
/** How long scripts and source maps are read. */
const READ_MS = 3_000
const MOST_TITLE = 120

export interface HintsPlan {
  readonly events: readonly SeenEvent[]
  readonly readSource: ReadSource
  /** The variable of the recording in a test: `telemetry` or `recording`. */
  readonly variable: string
}

/**
 * Two lines for each unexpected error of a verdict: the line of the user's code, and a call that allows the error, ready to
 * paste. Errors with the same lines are listed once.
 */
export async function errorHints(verdict: Verdict, plan: HintsPlan): Promise<readonly string[]> {
  if (verdict.verdict !== 'fail') return []
  const ids = new Set(verdict.findings.slice(0, MOST_HINTS).map(({ at }) => at?.eventId))
  const events = new Map(plan.events.filter(({ eventId }) => ids.has(eventId)).map((one) => [one.eventId, one]))
  const signal = AbortSignal.timeout(READ_MS)
  const hints = await Promise.all([...events.values()].map((event) => hintOf(event, plan, signal)))
  return [...new Set(hints)]
}

async function hintOf(event: SeenEvent, { readSource, variable }: HintsPlan, signal: AbortSignal): Promise<string> {
  const frame = await sourceFrameOf(event, readSource, signal)
  const call = allowCall(event.title, variable)
  return [
    ...(frame === null
      ? []
      : [
          withoutSecrets(
            plainText(
              `thrown at ${frame.file}:${frame.line}${frame.column === null ? '' : `:${frame.column}`}${frame.function ? ` (${frame.function})` : ''}`,
            ),
          ),
        ]),
    ...(call === null ? [] : [`if the test causes it on purpose: ${call}`]),
  ].join('\n')
}

/** A part of the title is enough, so the part before a secret is named. `null` if that is too short to name an error. */
function allowCall(title: string, variable: string): string | null {
  const safe = withoutSecrets(title)
  let same = 0
  while (same < title.length && title[same] === safe[same]) same += 1
  const part = (same === title.length ? title : title.slice(0, same).trimEnd()).slice(0, MOST_TITLE)
  if (part.length < Math.min(5, title.length) || part === '') return null
  const quoted = JSON.stringify(part).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `${variable}.allow('${quoted}')`
}
