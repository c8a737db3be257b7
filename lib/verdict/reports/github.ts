import { plural } from '../../format'
import type { Report } from '../expectations/report'
import type { Boards, Finding, SourceLine } from '../verdict'
import {
  acknowledgedLines,
  type Failed,
  type FindingText,
  findingLine,
  findingTexts,
  fixedFailuresLine,
  followsText,
  groupText,
  headline,
  knownFailureLines,
  knownFailuresLine,
  oneLine,
  otherGaps,
  type ReportFileOptions,
  silentSendersLine,
  sortJudged,
  sourceSummary,
  subjectOf,
} from './report-text'

/** GitHub silently drops further annotations of one kind in a step. */
const MAX_ANNOTATIONS = 10
const RECORD_INCOMPLETE = 'The record is incomplete'
/** GitHub accepts a summary of 1 MiB per step. */
const FINDINGS_IN_SUMMARY = 5

interface AnnotationOptions extends Boards {
  /** Annotations point to lines of these files; without it they point to none. */
  readonly checkout?: Checkout | null
}

/**
 * Workflow commands for GitHub annotations: one per failed check, then one per further source line of its findings, up to
 * GitHub's maximum. Each line ends with a newline; empty when there is nothing to report.
 */
export function githubAnnotations(report: Report, options: AnnotationOptions): string {
  const { failures, warnings } = sortJudged(report)
  const incomplete =
    report.verdict === 'incomplete'
      ? [command('error', headline(report), [...report.reasons.map(oneLine), sourceSummary(report)].join('\n'))]
      : []
  const gaps =
    incomplete.length === 0 && report.gaps.length > 0
      ? [command('warning', RECORD_INCOMPLETE, report.gaps.map(oneLine).join('\n'))]
      : []
  return [
    ...annotations('error', failures, options, MAX_ANNOTATIONS - incomplete.length),
    ...incomplete,
    ...gaps,
    ...annotations('warning', warnings, options, MAX_ANNOTATIONS - gaps.length),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/** If there are too many checks, the last annotation counts the others. */
function annotations(
  kind: 'error' | 'warning',
  failed: readonly Failed[],
  options: AnnotationOptions,
  most: number,
): readonly string[] {
  const listed = failed
    .slice(0, failed.length <= most ? failed.length : most - 1)
    .map((one) => ({ one, lines: linesOf(one, options.checkout ?? null) }))
  const left = failed.slice(listed.length)
  const checks = [
    ...listed.map(({ one, lines }) => command(kind, titleOf(one), messageOf(one, options), lines[0]?.at)),
    ...(left.length === 0
      ? []
      : [command(kind, `and ${plural(left.length, 'check')} more`, left.map(({ id }) => id).join(', '))]),
  ]
  const further = listed.flatMap(({ one, lines }) =>
    lines
      .slice(1)
      .map(({ finding, at }) => command(kind, titleOf(one), findingLine(groupText(finding, [finding], options)), at)),
  )
  return [...checks, ...further.slice(0, most - checks.length)]
}

const titleOf = ({ title, id }: Failed): string => `${oneLine(title)} (${id})`

function messageOf(failed: Failed, options: Boards): string {
  if (failed.follows !== undefined) return followsText(failed.follows)
  const { listed, more } = findingTexts(failed.verdict, options)
  return [...listed.map(findingLine), ...(more === 0 ? [] : [`and ${more} more`]), oneLine(failed.fix)].join('\n')
}

const command = (kind: 'error' | 'warning', title: string, message: string, at?: SourceLine): string =>
  `::${kind} ${at === undefined ? '' : `file=${property(at.file)},line=${at.line},`}title=${property(title)}::${data(message)}`

function linesOf({ verdict }: Failed, checkout: Checkout | null): readonly FindingAtLine[] {
  const lines = new Map<string, FindingAtLine>()
  for (const finding of verdict.findings) {
    const at = finding.frame && checkout !== null ? checkoutLine(finding.frame, checkout) : null
    const name = `${at?.file}:${at?.line}`
    if (at !== null && !lines.has(name)) lines.set(name, { finding, at })
  }
  return [...lines.values()]
}

interface FindingAtLine {
  readonly finding: Finding
  readonly at: SourceLine
}

/** An annotation for a check that could not run. Ends with a newline. */
export const githubRefusal = (sentences: readonly string[]): string =>
  `${command('error', 'Waystation', sentences.map(oneLine).join('\n'))}\n`

/** Escapes for workflow commands: they end with the line and use `%` as escape character. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** The report for a step summary in GitHub's Markdown. Text from payloads is formatted as code, so it cannot add markup or links. */
export function githubSummary(report: Report, options: ReportFileOptions, nextSteps: readonly string[] = []): string {
  const { program = null } = options
  const { failures, warnings, unjudged } = sortJudged(report)
  const known = knownFailuresLine(report)
  const fixed = fixedFailuresLine(report)
  const silent = silentSendersLine(unjudged)
  return [
    // The failed program comes first: its telemetry may pass although it is only a part.
    ...(program === null
      ? [`## ${text(headline(report))}`]
      : [`## ${text(oneLine(program))}`, '', `Its telemetry: ${text(headline(report))}`]),
    ...report.reasons.map((why) => `\n**Reason:** ${text(oneLine(why))}`),
    '',
    text(sourceSummary(report)),
    ...(known === null ? [] : ['', text(known)]),
    ...knownFailureLines(report).map((line, index) => `${index === 0 ? '\n' : ''}- ${text(line)}`),
    ...(fixed === null ? [] : ['', text(fixed)]),
    ...acknowledgedLines(report).flatMap((line) => ['', text(line)]),
    ...list(
      'Next steps',
      nextSteps.map((line) => text(oneLine(line))),
    ),
    ...failures.flatMap((one) => section('Failure', one, options)),
    ...warnings.flatMap((one) => section('Warning', one, options)),
    ...list('Incomplete checks', [
      ...unjudged
        .filter((one) => one.silent === undefined)
        .map(({ title, id, verdict }) => `${text(oneLine(title))} (${text(id)}): ${text(oneLine(verdict.why))}`),
      ...(silent === null ? [] : [text(silent)]),
    ]),
    ...list(
      RECORD_INCOMPLETE,
      otherGaps(report).map((gap) => text(oneLine(gap))),
    ),
    '',
  ].join('\n')
}

function section(kind: string, failed: Failed, options: Boards): readonly string[] {
  const head = ['', `### ${kind}: ${text(oneLine(failed.title))} (${text(failed.id)})`, '']
  if (failed.follows !== undefined) return [...head, text(followsText(failed.follows))]
  const { listed, more } = findingTexts(failed.verdict, options, FINDINGS_IN_SUMMARY)
  return [
    ...head,
    '| About | Path | Expected | Actual | In |',
    '| --- | --- | --- | --- | --- |',
    ...listed.map(tableRow),
    '',
    ...(more === 0 ? [] : [`And ${more} more.`, '']),
    `${text(oneLine(failed.why))} ${text(oneLine(failed.fix))}`,
  ]
}

const tableRow = (finding: FindingText): string => {
  const examples = finding.examples.map(({ test, link, position }) =>
    [
      ...(test === null ? [] : [code(test)]),
      ...(link === null ? [] : [`[open](<${link.replaceAll(/[<>|\\\s]/g, encodeURIComponent)}>)`]),
      ...(position === null ? [] : [code(position)]),
    ].join(' '),
  )
  const { path, expected, actual } = finding
  return `| ${[subjectOf(finding), path ?? '', expected, actual].map(code).join(' | ')} | ${examples.join(', ')} |`
}

const list = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines.map((line) => `- ${line}`)]

/** Received text as a code span. Pipes are escaped, because they end a table cell. */
const code = (words: string): string => codeSpan(words).replaceAll('|', '\\|')

/** Received text as a code span, which has no markup, links or mentions: its fence is longer than those in the text. */
export function codeSpan(words: string): string {
  if (words === '') return ''
  const longest = Math.max(0, ...(words.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  const padding = longest === 0 ? '' : ' '
  return `${fence}${padding}${words}${padding}${fence}`
}

/** Text that GitHub turns into a link, without trailing punctuation. */
const LINKED = /((?:[a-z][a-z\d+.-]*:\/\/|www\.)\S*[^\s.,;:!?])/gi

/** Our own sentences, which may contain received names: markup is escaped, and addresses are formatted as code. */
const text = (words: string): string =>
  words
    .split(LINKED)
    .map((part, index) => (index % 2 === 1 ? code(part) : escaped(part)))
    .join('')
const escaped = (words: string): string =>
  words.replaceAll(/[\\`*_[\]<>#|~&@]/g, (letter) => `&#${letter.charCodeAt(0)};`)

export interface Checkout {
  readonly root: string
  /** The program's working directory, relative to the root without slashes at either end; empty for the root. */
  readonly folder: string
  /** Does the file exist? The path is relative to the root. */
  readonly isFile: (path: string) => boolean
}

/** Generated or installed files, which are not source code even if they exist. */
const NOT_OWN = /(?:^|\/)(?:node_modules|_next|\.next)\//

/** The line of a stack frame in the checkout; `null` for URLs, bundles and files elsewhere. */
function checkoutLine({ file, line }: SourceLine, { root, folder, isFile }: Checkout): SourceLine | null {
  const path = file.replace(/^(?:file:\/\/(?=\/)|app:\/\/\/)/, '').replace(/[?#].*$/, '')
  const below = `${root.replace(/\/+$/, '')}/`
  const found = (path.startsWith(below) ? [path.slice(below.length)] : candidates(path, folder)).find(
    (one) => !NOT_OWN.test(one) && isFile(one),
  )
  return found === undefined ? null : { file: found, line }
}

/** Candidates for a relative path: below the working directory, then below the root. */
function candidates(path: string, folder: string): readonly string[] {
  if (/^(?:[a-z][\w+.-]*:|\/|<)/i.test(path) || path.split('/').includes('..')) return []
  const plain = path.replace(/^(?:\.\/)+/, '')
  return folder === '' ? [plain] : [`${folder}/${plain}`, plain]
}
