import { accessSync, appendFileSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { plural } from '../../../lib/format'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { baselineOf, baselineText, neverBaselined } from '../../../lib/verdict/expectations/baseline'
import { type Report, truncateReport } from '../../../lib/verdict/expectations/report'
import { type Checkout, githubAnnotations, githubSummary } from '../../../lib/verdict/reports/github'
import { junitReport } from '../../../lib/verdict/reports/junit'
import { explainSystemError } from '../../launch/explain-failure.js'
import { VERDICT_EXIT_CODES } from '../exit-codes'
import type { JudgingArguments } from './judging-arguments'

interface ReportContext {
  readonly given: JudgingArguments
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: number
  readonly log: (line: string) => void
  /** Questions for the step summary when nothing arrived. */
  readonly questions?: readonly string[]
  /** How the program failed that sent the recording. */
  readonly program?: string | null
}

/** JUnit, JSON, a baseline, annotations and a step summary for GitHub. @returns the exit code, or a message */
export function writeReports(report: Report, context: ReportContext): Result<number, string> {
  const { given, env, now, log, questions = [], program = null } = context
  // Links to pages on a machine of CI open nothing.
  const boards = { appUrl: null, program }
  if (given.junit !== null) {
    const written = write('--junit', given.junit, junitReport(report, boards))
    if (!written.ok) return written
  }
  if (given.report !== null) {
    const written = write('--report', given.report, `${JSON.stringify(truncateReport(report), null, 2)}\n`)
    if (!written.ok) return written
  }
  const writesBaseline = given.writeBaseline !== null && report.verdict !== 'incomplete' && program === null
  // Failures that go into the baseline need no annotation.
  if (!writesBaseline && (given.github || env.GITHUB_ACTIONS === 'true')) {
    const { GITHUB_STEP_SUMMARY, GITHUB_WORKSPACE } = env
    process.stderr.write(githubAnnotations(report, { ...boards, checkout: checkoutOf(GITHUB_WORKSPACE) }))
    if (GITHUB_STEP_SUMMARY) {
      const summary = githubSummary(report, boards, questions)
      const written = write('GITHUB_STEP_SUMMARY', GITHUB_STEP_SUMMARY, summary, appendFileSync)
      if (!written.ok) return written
    }
  }
  return given.writeBaseline === null
    ? succeed(VERDICT_EXIT_CODES[report.verdict])
    : writeBaseline(given.writeBaseline, report, { now, log, program })
}

function writeBaseline(
  file: string,
  report: Report,
  { now, log, program }: Pick<ReportContext, 'now' | 'log'> & { readonly program: string | null },
): Result<number, string> {
  // A failed program may not have sent everything, so its baseline would lack failures.
  if (program !== null) {
    log(`${program}, so ${file} is not written.`)
    return succeed(VERDICT_EXIT_CODES[report.verdict])
  }
  if (report.verdict === 'incomplete') {
    log(`${file} is not written, because the recording could not be judged.`)
    return succeed(VERDICT_EXIT_CODES.incomplete)
  }
  const baseline = baselineOf(report, now)
  const written = write('--write-baseline', file, baselineText(baseline))
  if (!written.ok) return written
  const { leaks, budgets } = neverBaselined(report)
  if (leaks > 0) log(`A baseline does not accept leaks of secrets: fix ${plural(leaks, 'leak')}.`)
  if (budgets > 0)
    log(`A baseline does not accept exceeded budgets: raise ${plural(budgets, 'budget')} where they are set.`)
  log(`${file} is written with ${plural(baseline.known.length, 'known failure')}.`)
  return succeed(leaks + budgets > 0 ? VERDICT_EXIT_CODES.fail : VERDICT_EXIT_CODES.pass)
}

/** Before anything runs. Removes old reports: after a failure, a reader would take them for new ones. */
export function prepareReports({ junit, report, writeBaseline }: JudgingArguments): Result<null, string> {
  for (const [flag, name] of [
    ['--junit', junit],
    ['--report', report],
    ['--write-baseline', writeBaseline],
  ] as const) {
    const prepared = name === null ? succeed(null) : prepareFile(flag, name, { keeps: flag === '--write-baseline' })
    if (!prepared.ok) return prepared
  }
  return succeed(null)
}

/** Checks that a file can be written, and removes an old one. @param keeps leaves the old one @returns a message */
export function prepareFile(
  flag: string,
  name: string,
  { keeps = false }: { readonly keeps?: boolean } = {},
): Result<null, string> {
  try {
    accessSync(dirname(resolve(name)), constants.W_OK)
    const found = statSync(resolve(name), { throwIfNoEntry: false })
    if (found?.isDirectory()) return fail(`${flag} ${name} cannot be written: it is a folder.`)
    // A device, such as /dev/null, stays.
    if (!keeps && found?.isFile()) rmSync(resolve(name), { force: true })
    return succeed(null)
  } catch (cause) {
    return fail(`${flag} ${name} cannot be written: ${explainSystemError(cause)}.`)
  }
}

function write(
  flag: string,
  name: string,
  text: string,
  how: (file: string, text: string) => void = writeFileSync,
): Result<null, string> {
  try {
    how(resolve(name), text)
    return succeed(null)
  } catch (cause) {
    return fail(`${flag} ${name} cannot be written: ${explainSystemError(cause)}.`)
  }
}

/** The checkout, to which annotations refer. @param workspace GITHUB_WORKSPACE; without it, the `folder` (absolute) */
export function checkoutOf(workspace: string | undefined, folder: string = process.cwd()): Checkout {
  const root = resolve(workspace || folder)
  const inRoot = relative(root, folder)
  const isFile = (path: string): boolean => existsSync(join(root, path)) && statSync(join(root, path)).isFile()
  return { root, folder: inRoot.startsWith('..') ? '' : inRoot, isFile }
}
