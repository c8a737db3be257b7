import { plural } from '../../format'
import type { RunData } from './run-data'
import { holm, mannWhitney, medianOf } from './statistics'

/** Green base runs from which durations are judged. */
const LEAST_GREEN_RUNS = 5
/** Spans in each run from which their duration is compared. */
const LEAST_SAMPLES = 10
/** A median must be beyond that of every base run by both. */
const LEAST_FACTOR = 2
const LEAST_MS = 20
const ALPHA = 0.001
/** Differences that are listed, not judged. */
const MOST_LISTED = 10

export interface DurationChange {
  readonly span: string
  /** Medians in milliseconds; of several base runs the median of their medians. */
  readonly beforeMs: number
  readonly afterMs: number
}

export interface DurationDiff {
  /** False: `changes` are listed as information. */
  readonly isJudged: boolean
  readonly changes: readonly DurationChange[]
  /** Why durations, or some of them, are not judged; `null` when all are. */
  readonly unjudged: string | null
}

/**
 * Judges durations against at least five green runs; one run against one cannot tell a slow machine from a slow program, so it
 * only lists the largest differences.
 */
export function diffDurations(bases: readonly RunData[], head: RunData): DurationDiff {
  const [before, after] = [bases.map(samplesOf), samplesOf(head)]
  const names = [...after.keys()].filter((name) => before.some((run) => run.has(name)))
  const enough = names.filter((name) =>
    [...before, after].every((run) => (run.get(name)?.length ?? 0) >= LEAST_SAMPLES),
  )
  const green = bases.filter(isGreen).length
  if (green < LEAST_GREEN_RUNS || green < bases.length)
    return {
      isJudged: false,
      changes: largest(enough, before, after),
      unjudged: `durations are listed, not judged: that needs at least ${LEAST_GREEN_RUNS} base runs, all green, and ${green} of ${bases.length} are`,
    }
  const few = names.length - enough.length
  const unjudged =
    few === 0 ? null : `${plural(few, 'span')} with fewer than ${LEAST_SAMPLES} samples in a run: not judged`
  return { isJudged: true, changes: judged(enough, before, after), unjudged }
}

/** The largest differences of medians, whatever the number of spans. Never judged. */
export function listDurations(before: RunData, after: RunData): readonly DurationChange[] {
  const [old, now] = [samplesOf(before), samplesOf(after)]
  return largest(
    [...now.keys()].filter((name) => old.has(name)),
    [old],
    now,
  ).filter(({ beforeMs, afterMs }) => Math.abs(afterMs - beforeMs) >= LEAST_LISTED_MS)
}

/** Smaller differences are noise. */
const LEAST_LISTED_MS = 1

const isGreen = ({ facts }: Pick<RunData, 'facts'>): boolean =>
  facts !== null && facts.verdict === 'pass' && facts.exit.code === 0

type Samples = ReadonlyMap<string, readonly number[]>

function samplesOf({ traces }: RunData): Samples {
  const all = new Map<string, number[]>()
  for (const { spans } of traces)
    for (const [name, durations] of spans) {
      const samples = all.get(name) ?? []
      all.set(name, samples)
      for (const ms of durations) samples.push(ms)
    }
  return all
}

const median = (run: Samples, name: string): number => medianOf(run.get(name) ?? [])

function judged(names: readonly string[], before: readonly Samples[], after: Samples): readonly DurationChange[] {
  const runs = [...before, after]
  const typical = new Map(names.map((name) => [name, medianOf(runs.map((run) => median(run, name)))]))
  // A run on a slower machine is slower in most of its spans: by this ratio.
  const scaled = runs.map((run) => {
    const ratios = names.flatMap((name) => {
      const usual = typical.get(name) ?? 0
      return usual > 0 ? [median(run, name) / usual] : []
    })
    const ratio = medianOf(ratios) || 1
    return new Map(names.map((name) => [name, (run.get(name) ?? []).map((ms) => ms / ratio)]))
  })
  const [bases, now] = [scaled.slice(0, -1), scaled.at(-1) ?? new Map<string, number[]>()]
  const probabilities = names.map((name) =>
    mannWhitney(
      now.get(name) ?? [],
      bases.flatMap((run) => run.get(name) ?? []),
    ),
  )
  const significant = holm(probabilities, ALPHA)
  return names.flatMap((span, index) => {
    const medians = bases.map((run) => median(run, span))
    const afterMs = median(now, span)
    const isBeyond = isLarger(afterMs, Math.max(...medians)) || medians.every((beforeMs) => isLarger(beforeMs, afterMs))
    return isBeyond && significant.has(index) ? [{ span, beforeMs: medianOf(medians), afterMs }] : []
  })
}

const isLarger = (one: number, other: number): boolean => one > other * LEAST_FACTOR && one > other + LEAST_MS

function largest(names: readonly string[], before: readonly Samples[], after: Samples): readonly DurationChange[] {
  const changes = names.map((span) => ({
    span,
    beforeMs: medianOf(before.map((run) => median(run, span))),
    afterMs: median(after, span),
  }))
  const distance = ({ beforeMs, afterMs }: DurationChange): number => Math.abs(afterMs - beforeMs)
  return changes
    .filter((change) => distance(change) > 0)
    .sort((a, b) => distance(b) - distance(a))
    .slice(0, MOST_LISTED)
}
