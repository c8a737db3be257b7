import { z } from 'zod'
import type { Mutant } from './catalogue'
import { type Clarity, clarityOf, waystationLines } from './first-screen'

/** The parts of `run --report FILE` that contain sentences. */
const reportSchema = z.object({
  verdict: z.enum(['pass', 'fail', 'incomplete']),
  reasons: z.array(z.string()),
  gaps: z.array(z.string()),
  judged: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      severity: z.string(),
      verdict: z.object({
        verdict: z.string(),
        findings: z
          .array(z.object({ about: z.string(), path: z.string(), actual: z.string(), expected: z.string() }))
          .default([]),
      }),
    }),
  ),
})

interface Suite {
  readonly specs?: readonly {
    readonly tests: readonly {
      readonly annotations: readonly { readonly type: string; readonly description?: string }[]
      readonly results: readonly { readonly errors: readonly { readonly message?: string }[] }[]
    }[]
  }[]
  readonly suites?: readonly Suite[]
}

const suiteSchema: z.ZodType<Suite> = z.object({
  specs: z
    .array(
      z.object({
        tests: z.array(
          z.object({
            annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
            results: z.array(z.object({ errors: z.array(z.object({ message: z.string().optional() })) })),
          }),
        ),
      }),
    )
    .optional(),
  suites: z.lazy(() => z.array(suiteSchema)).optional(),
})

/** Exit code and sentences of one run of the suite. */
export interface RunSentences {
  /** `null` when a signal ended the run, or no test ran. */
  readonly exitCode: number | null
  /** Sentences that fail a run or make it incomplete. */
  readonly failures: readonly string[]
  readonly warnings: readonly string[]
  /** Lines that Waystation printed after the suite. */
  readonly printed: readonly string[]
}

/**
 * Reads the two reports and the output of a run.
 * @param given.report text of `waystation run --report FILE`; `null` without one
 * @param given.suite text of Playwright's JSON report; `null` without one
 * @throws ZodError for a report of another shape
 */
export function readReports(given: {
  readonly exitCode: number | null
  readonly report: string | null
  readonly suite: string | null
  readonly output: string
}): RunSentences {
  const report = given.report === null ? null : reportSchema.parse(JSON.parse(given.report))
  const suite = given.suite === null ? null : suiteSchema.parse(JSON.parse(given.suite))
  const findings = (severe: boolean): readonly string[] =>
    (report?.judged ?? [])
      .filter(({ severity }) => (severity === 'error') === severe)
      .flatMap(({ id, title, verdict }) =>
        verdict.findings.map(
          ({ about, path, actual, expected }) =>
            `${id} (${title}): ${about}${path === '' ? '' : ` ${path}`}: got ${actual}, expected ${expected}`,
        ),
      )
  const tests = suite === null ? [] : testsOf(suite)
  return {
    exitCode: tests.some(({ results }) => results.length > 0) ? given.exitCode : null,
    failures: [
      ...findings(true),
      ...(report?.reasons ?? []),
      ...tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors.map(({ message = '' }) => message))),
    ],
    warnings: [
      ...findings(false),
      ...(report?.gaps ?? []),
      ...tests.flatMap(({ annotations }) => annotations.map(({ description = '' }) => description)),
    ],
    printed: waystationLines(given.output),
  }
}

const testsOf = ({ specs = [], suites = [] }: Suite): NonNullable<Suite['specs']>[number]['tests'] => [
  ...specs.flatMap(({ tests }) => tests),
  ...suites.flatMap(testsOf),
]

/**
 * - `found`: the run failed, or was incomplete and named the cause
 * - `warned`: the run passed, and a warning names the cause
 * - `incomplete`: the run was incomplete and did not name the cause
 * - `missed`: the run passed without a warning that names the cause
 * - `broken`: the run ended in another way, which judges nothing
 */
export type Outcome = 'found' | 'warned' | 'incomplete' | 'missed' | 'broken'
export const OUTCOMES: readonly Outcome[] = ['found', 'warned', 'incomplete', 'missed', 'broken']

export interface Judgement {
  readonly outcome: Outcome
  /** The sentence that names the cause; `null` without one. */
  readonly sentence: string | null
  /** Sentences that the control lacks, failures first. */
  readonly added: readonly string[]
  readonly clarity: Clarity
  /** Lines that Waystation printed. */
  readonly lines: number
}

/** Numbers, ids and stamps differ from run to run. */
const comparable = (sentence: string): string => sentence.replaceAll(/[0-9a-f]{8,}|\d+/gi, '#')

/**
 * Judges the run of a mutant. Sentences that the control also has do not count.
 */
export function judgeMutant(
  mutant: RunSentences,
  control: RunSentences,
  { named, wrong }: Pick<Mutant, 'named' | 'wrong'>,
): Judgement {
  const known = new Set([...control.failures, ...control.warnings, ...control.printed].map(comparable))
  const isNew = (sentence: string): boolean => !known.has(comparable(sentence))
  const failures = mutant.failures.filter(isNew)
  const warnings = mutant.warnings.filter(isNew)
  const added = [...failures, ...warnings]
  const sentence = added.find((one) => named.test(one)) ?? null
  const passed = sentence === null ? 'missed' : 'warned'
  const outcomeOf = (): Outcome => {
    switch (mutant.exitCode) {
      case 0:
        return passed
      case 1:
        // Without a new failure the mutant fails only for the reasons of the control.
        return failures.length > 0 ? 'found' : passed
      case 3:
        return sentence === null ? 'incomplete' : 'found'
      default:
        return 'broken'
    }
  }
  const { printed } = mutant
  const clarity = clarityOf(printed, { named, ...(wrong && { wrong }) }, isNew)
  return { outcome: outcomeOf(), sentence, added, clarity, lines: printed.length }
}

/** All sentences of several runs of the control. */
export const mergeControls = (runs: readonly RunSentences[]): RunSentences => ({
  exitCode: runs.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0,
  failures: runs.flatMap(({ failures }) => failures),
  warnings: runs.flatMap(({ warnings }) => warnings),
  printed: runs.flatMap(({ printed }) => printed),
})
