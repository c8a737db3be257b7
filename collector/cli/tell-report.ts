import { accessSync, appendFileSync, constants, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { plural } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { baselineOf, baselineText, neverBaselined } from '../../lib/verdict/expectations/baseline'
import { EXIT_CODES, type Report, truncateReport } from '../../lib/verdict/expectations/report'
import { githubAnnotations, githubSummary } from '../../lib/verdict/reports/github'
import { junitReport } from '../../lib/verdict/reports/junit'
import { explainSystemError } from '../launch/explain-failure.js'
import type { JudgingWords } from './check-words'
import { checkoutOf } from './checkout-of'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Writes a report where it is wanted besides the terminal: JUnit, JSON, a baseline, GitHub's annotations and summary.
 * @param say a line on stderr
 * @returns the exit code; or a sentence where a file cannot be written
 */
export function fileReport(
  report: Report,
  given: {
    readonly words: JudgingWords
    readonly env: Variables
    readonly now: number
    readonly say: (line: string) => void
    /** What somebody may look at, below the step's summary. */
    readonly questions?: readonly string[]
    /** How the program ended that sent it, where that was not well. */
    readonly program?: string | null
  },
): Result<number, string> {
  const { words, env, now, say, questions = [], program = null } = given
  // Boards on a machine that a CI job has left open nothing.
  const boards = { appUrl: null, program }
  if (words.junit !== null) {
    const written = write('--junit', words.junit, junitReport(report, boards))
    if (!written.ok) return written
  }
  if (words.report !== null) {
    const written = write('--report', words.report, `${JSON.stringify(truncateReport(report), null, 2)}\n`)
    if (!written.ok) return written
  }
  const writes = words.writeBaseline !== null && report.verdict !== 'incomplete' && program === null
  // What is known from now on is not what somebody has to look at.
  if (!writes && (words.github || env.GITHUB_ACTIONS === 'true')) {
    // Not by console.error, which would end a line twice.
    const { GITHUB_STEP_SUMMARY, GITHUB_WORKSPACE } = env
    process.stderr.write(githubAnnotations(report, { ...boards, checkout: checkoutOf(GITHUB_WORKSPACE) }))
    if (GITHUB_STEP_SUMMARY) {
      const written = write(
        'GITHUB_STEP_SUMMARY',
        GITHUB_STEP_SUMMARY,
        githubSummary(report, boards, questions),
        appendFileSync,
      )
      if (!written.ok) return written
    }
  }
  return words.writeBaseline === null
    ? succeed(EXIT_CODES[report.verdict])
    : fileBaseline(words.writeBaseline, report, { now, say, program })
}

function fileBaseline(
  file: string,
  report: Report,
  {
    now,
    say,
    program,
  }: { readonly now: number; readonly say: (line: string) => void; readonly program: string | null },
): Result<number, string> {
  // What it would have sent yet, and how that fails, nobody knows.
  if (program !== null) {
    say(`${program}, so ${file} is not written.`)
    return succeed(EXIT_CODES[report.verdict])
  }
  // A baseline of nothing would know nothing, and the next run would be told so much the worse.
  if (report.verdict === 'incomplete') {
    say(`${file} is not written: what was recorded could not be judged.`)
    return succeed(EXIT_CODES.incomplete)
  }
  const baseline = baselineOf(report, now)
  const written = write('--write-baseline', file, baselineText(baseline))
  if (!written.ok) return written
  const { length } = baseline.known
  const { leaks, budgets } = neverBaselined(report)
  if (leaks > 0)
    say(`${plural(leaks, 'leak')} of what is secret ${leaks === 1 ? 'is' : 'are'} in no baseline: mend that.`)
  if (budgets > 0)
    say(
      `${plural(budgets, 'budget')} that ${budgets === 1 ? 'is' : 'are'} not kept ${budgets === 1 ? 'is' : 'are'} in no baseline: a budget is raised where it is set.`,
    )
  say(`${file} is written: ${plural(length, 'failure')} ${length === 1 ? 'is' : 'are'} known from now on.`)
  return succeed(leaks + budgets > 0 ? EXIT_CODES.fail : EXIT_CODES.pass)
}

/**
 * Before anything is run: can these files be written? An old report goes, for whoever reads it after a failure would read
 * that of another run.
 */
export function prepareFiles({ junit, report, writeBaseline }: JudgingWords): Result<null, string> {
  for (const [flag, given] of [
    ['--junit', junit],
    ['--report', report],
    ['--write-baseline', writeBaseline],
  ] as const) {
    if (given === null) continue
    try {
      accessSync(dirname(resolve(given)), constants.W_OK)
      if (statSync(resolve(given), { throwIfNoEntry: false })?.isDirectory())
        return fail(`${flag} ${given} cannot be written: it is a folder.`)
      if (flag !== '--write-baseline') rmSync(resolve(given), { force: true })
    } catch (cause) {
      return fail(`${flag} ${given} cannot be written: ${explainSystemError(cause)}.`)
    }
  }
  return succeed(null)
}

function write(
  flag: string,
  given: string,
  text: string,
  how: (file: string, text: string) => void = writeFileSync,
): Result<null, string> {
  try {
    how(resolve(given), text)
    return succeed(null)
  } catch (cause) {
    return fail(`${flag} ${given} cannot be written: ${explainSystemError(cause)}.`)
  }
}
