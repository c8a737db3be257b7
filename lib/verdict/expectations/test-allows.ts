import * as z from 'zod'
import { groupBy } from '../../group-by'
import { fail, type Result, succeed } from '../../protocol/result'
import type { Evidence, SeenEvent } from '../evidence/evidence'
import { isRegExp } from '../text'
import { type AllowedError, checkAllowed } from './unexpected-errors'

/** The `kind` of a line that a test reports to `waystation run`. */
export const TEST_ALLOWS = 'allowed errors'
/** The newest traces count, if a test sent more requests with its headers. */
const MOST_TRACES = 1_000

/** The errors that one test allows. They apply to its telemetry only. */
export interface TestAllows {
  readonly stamp: string
  /** Traces of requests that the test itself sent. */
  readonly traces: readonly string[]
  readonly allow: readonly AllowedError[]
}

/** As JSON: a regular expression becomes `{ "regexp": source, "flags": flags }`. */
export const writeTestAllows = ({ stamp, traces, allow }: TestAllows) => ({
  kind: TEST_ALLOWS,
  stamp,
  traces: traces.slice(-MOST_TRACES),
  allow: allow.map(({ error, ...rest }) => ({ ...rest, error: withoutRegExps(error) })),
})

const linesSchema = z.object({
  stamp: z.string(),
  traces: z.array(z.string()),
  allow: z.array(z.looseObject({ error: z.unknown(), until: z.string().optional(), why: z.string().optional() })),
})

/** Parses the JSON of `writeTestAllows`. @returns a message for malformed input */
export function readTestAllows(value: unknown): Result<TestAllows, string> {
  const parsed = linesSchema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return fail(`${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'invalid'}`)
  }
  try {
    const allow = parsed.data.allow.map((entry) => {
      // `checkAllowed` rejects other values.
      const allowed = { ...entry, error: withRegExps(entry.error) } as AllowedError
      checkAllowed(allowed)
      return allowed
    })
    return succeed({ stamp: parsed.data.stamp, traces: parsed.data.traces, allow })
  } catch (cause) {
    return fail(cause instanceof Error ? cause.message : String(cause))
  }
}

function withoutRegExps(value: unknown): unknown {
  if (isRegExp(value)) return { regexp: value.source, flags: value.flags }
  if (Array.isArray(value)) return value.map(withoutRegExps)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutRegExps(entry)]))
}

const regExpSchema = z.strictObject({ regexp: z.string(), flags: z.string() })

/** @throws SyntaxError for an invalid regular expression */
function withRegExps(value: unknown): unknown {
  const written = regExpSchema.safeParse(value)
  if (written.success) return new RegExp(written.data.regexp, written.data.flags)
  if (Array.isArray(value)) return value.map(withRegExps)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withRegExps(entry)]))
}

/**
 * The tests to which an event belongs: that of its stamp, or, of an event without one, those in whose traces it is.
 * @returns a function that returns them for an event
 */
export function testsOf(
  evidence: Evidence,
  tests: readonly TestAllows[],
): (event: Pick<SeenEvent, 'stamp' | 'traceId'>) => readonly TestAllows[] {
  const byStamp = groupBy(tests, ({ stamp }) => stamp)
  const byTrace = new Map<string, Set<string>>()
  const add = (trace: string | null, stamp: string): void => {
    if (trace !== null) byTrace.set(trace, (byTrace.get(trace) ?? new Set()).add(stamp))
  }
  for (const { stamp, traces } of tests) for (const trace of traces) add(trace, stamp)
  for (const list of [evidence.items, evidence.spans, evidence.events])
    for (const { stamp, traceId } of list) if (stamp !== null && byStamp.has(stamp)) add(traceId, stamp)
  return ({ stamp, traceId }) => {
    const stamps = stamp !== null ? [stamp] : traceId === null ? [] : [...(byTrace.get(traceId) ?? [])]
    return stamps.flatMap((one) => byStamp.get(one) ?? [])
  }
}
