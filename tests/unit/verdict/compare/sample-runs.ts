import type { RunData, TraceCounts } from '../../../../lib/verdict/compare/run-data'

/** A green run without telemetry, except for the given fields. */
export const runOf = (given: Partial<RunData> = {}): RunData => ({
  label: 'run',
  facts: {
    command: 'npm test',
    name: null,
    commit: null,
    startedAt: 0,
    endedAt: 1,
    exit: { code: 0, signal: null },
    verdict: 'pass',
  },
  traces: [],
  errors: new Map(),
  checks: [],
  amounts: [],
  ...given,
})

/** A number of traces with one root, each with so many spans of each name. */
export const tracesOf = (
  key: string,
  number: number,
  spans: Readonly<Record<string, number>>,
): readonly TraceCounts[] =>
  Array.from({ length: number }, () => ({
    key,
    spans: new Map(Object.entries({ [key]: 1, ...spans }).map(([name, count]) => [name, Array<number>(count).fill(5)])),
  }))
