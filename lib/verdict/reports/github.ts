import { plural } from '../../format'
import type { Report } from '../expectations/report'
import type { Boards, Finding, SourceLine } from '../verdict'
import {
  type Failed,
  type FindingText,
  findingText,
  findingTexts,
  fixedFailuresLine,
  headline,
  knownFailureLines,
  knownFailuresLine,
  oneLine,
  otherGaps,
  type ReportFileOptions,
  silentSendersLine,
  sortJudged,
  sourceSummary,
} from './report-text'

/** GitHub shows so many annotations of each kind of one step, and leaves out the others without a word. */
const MOST_ANNOTATIONS = 10
const NOT_WHOLE = 'What was recorded is not whole'
/** GitHub takes 1 MiB of summary of one step. */
const FINDINGS_IN_SUMMARY = 5

export interface AnnotationOptions extends Boards {
  /** An annotation stands at a line of a file in it, and else at none. */
  readonly checkout?: Checkout | null
}

/**
 * Workflow commands that GitHub shows as annotations: one for each check that does not hold, and where there is room one
 * for each further line of its findings. Ends with a line end.
 */
export function githubAnnotations(report: Report, options: AnnotationOptions): string {
  const { failures, warnings } = sortJudged(report)
  const incomplete =
    report.verdict === 'incomplete'
      ? [command('error', headline(report), [...report.reasons.map(oneLine), sourceSummary(report)].join('\n'))]
      : []
  const gaps =
    incomplete.length === 0 && report.gaps.length > 0
      ? [command('warning', NOT_WHOLE, report.gaps.map(oneLine).join('\n'))]
      : []
  return [
    ...annotations('error', failures, options, MOST_ANNOTATIONS - incomplete.length),
    ...incomplete,
    ...gaps,
    ...annotations('warning', warnings, options, MOST_ANNOTATIONS - gaps.length),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/** The last of the checks that is shown says how many are not. */
function annotations(
  kind: 'error' | 'warning',
  failed: readonly Failed[],
  options: AnnotationOptions,
  most: number,
): readonly string[] {
  const told = failed
    .slice(0, failed.length <= most ? failed.length : most - 1)
    .map((one) => ({ one, lines: linesOf(one, options.checkout ?? null) }))
  const left = failed.slice(told.length)
  const checks = [
    ...told.map(({ one, lines }) => command(kind, titleOf(one), messageOf(one, options), lines[0]?.at)),
    ...(left.length === 0
      ? []
      : [command(kind, `and ${plural(left.length, 'check')} more`, left.map(({ id }) => id).join(', '))]),
  ]
  const further = told.flatMap(({ one, lines }) =>
    lines.slice(1).map(({ finding, at }) => command(kind, titleOf(one), sentenceOf(findingText(finding, options)), at)),
  )
  return [...checks, ...further.slice(0, most - checks.length)]
}

const titleOf = ({ title, id }: Failed): string => `${oneLine(title)} (${id})`

function messageOf(failed: Failed, options: Boards): string {
  const { told, more } = findingTexts(failed, options)
  return [...told.map(sentenceOf), ...(more === 0 ? [] : [`and ${more} more`]), oneLine(failed.fix)].join('\n')
}

const sentenceOf = ({ about, path, actual, expected, link, place }: FindingText): string =>
  `${about}${path === null ? '' : `, ${path}`}: expected ${expected}, got ${actual}${link === null && place === null ? '' : `, ${link ?? place}`}`

const command = (kind: 'error' | 'warning', title: string, message: string, at?: SourceLine): string =>
  `::${kind} ${at === undefined ? '' : `file=${property(at.file)},line=${at.line},`}title=${property(title)}::${data(message)}`

/** Of the findings that have one in what was checked out, each once: GitHub shows no other. */
function linesOf({ verdict }: Failed, checkout: Checkout | null): readonly Placed[] {
  const placed = new Map<string, Placed>()
  for (const finding of verdict.findings) {
    const at = finding.frame && checkout !== null ? lineIn(finding.frame, checkout) : null
    const name = `${at?.file}:${at?.line}`
    if (at !== null && !placed.has(name)) placed.set(name, { finding, at })
  }
  return [...placed.values()]
}

interface Placed {
  readonly finding: Finding
  readonly at: SourceLine
}

/** Why there is no report, as an annotation. Ends with a line end. */
export const githubRefusal = (sentences: readonly string[]): string =>
  `${command('error', 'Waystation', sentences.map(oneLine).join('\n'))}\n`

/** A workflow command ends with its line, and `%` begins what stands for a letter. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** The report for a step's summary, in GitHub's Markdown. What came from events is code there: no markup, no link. */
export function githubSummary(report: Report, options: ReportFileOptions, questions: readonly string[] = []): string {
  const { program = null } = options
  const { failures, warnings, unjudged } = sortJudged(report)
  const known = knownFailuresLine(report)
  const mended = fixedFailuresLine(report)
  const silent = silentSendersLine(unjudged)
  return [
    // A good verdict on what a program sent before it was killed is not the first thing to be read.
    ...(program === null
      ? [`## ${text(headline(report))}`]
      : [`## ${text(oneLine(program))}`, '', `Of what it sent: ${text(headline(report))}`]),
    ...report.reasons.map((why) => `\n**Because** ${text(oneLine(why))}`),
    '',
    text(sourceSummary(report)),
    ...(known === null ? [] : ['', text(known)]),
    ...knownFailureLines(report).map((line, index) => `${index === 0 ? '\n' : ''}- ${text(line)}`),
    ...(mended === null ? [] : ['', text(mended)]),
    ...list(
      'What to look at',
      questions.map((line) => text(oneLine(line))),
    ),
    ...failures.flatMap((one) => section('Failure', one, options)),
    ...warnings.flatMap((one) => section('Warning', one, options)),
    ...list('Not judged', [
      ...unjudged
        .filter((one) => one.silent === undefined)
        .map(({ title, id, verdict }) => `${text(oneLine(title))} (${text(id)}): ${text(oneLine(verdict.why))}`),
      ...(silent === null ? [] : [text(silent)]),
    ]),
    ...list(
      NOT_WHOLE,
      otherGaps(report).map((gap) => text(oneLine(gap))),
    ),
    '',
  ].join('\n')
}

function section(kind: string, failed: Failed, options: Boards): readonly string[] {
  const { told, more } = findingTexts(failed, options, FINDINGS_IN_SUMMARY)
  return [
    '',
    `### ${kind}: ${text(oneLine(failed.title))} (${text(failed.id)})`,
    '',
    '| About | Path | Expected | Actual | |',
    '| --- | --- | --- | --- | --- |',
    ...told.map(tableRow),
    '',
    ...(more === 0 ? [] : [`And ${more} more.`, '']),
    `${text(oneLine(failed.why))} ${text(oneLine(failed.fix))}`,
  ]
}

const tableRow = ({ about, path, actual, expected, link, place }: FindingText): string => {
  const open = link === null ? code(place ?? '') : `[open](<${link.replaceAll(/[<>|\\\s]/g, encodeURIComponent)}>)`
  return `| ${[code(about), code(path ?? ''), code(expected), code(actual), open].join(' | ')} |`
}

const list = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines.map((line) => `- ${line}`)]

/** What came from an event: in a code span nothing is markup, a link or a mention; a pipe would end the cell. */
function code(words: string): string {
  if (words === '') return ''
  const longest = Math.max(0, ...(words.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  const room = longest === 0 ? '' : ' '
  return `${fence}${room}${words.replaceAll('|', '\\|')}${room}${fence}`
}

/** What GitHub makes a link of, brackets or none, without what ends a sentence: an address, and what stands before and behind an @. */
const LINKED = /((?:[a-z][a-z\d+.-]*:\/\/|www\.)\S*[^\s.,;:!?])/gi

/** Our own sentences, in which a name may stand: no letter of theirs is markup, and an address is code. */
const text = (words: string): string =>
  words
    .split(LINKED)
    .map((part, index) => (index % 2 === 1 ? code(part) : escaped(part)))
    .join('')
const escaped = (words: string): string =>
  words.replaceAll(/[\\`*_[\]<>#|~&@]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** What was checked out, by whose paths annotations name files. */
export interface Checkout {
  /** Absolute. */
  readonly root: string
  /** Where the program ran, by its path below the root without a slash at either end; empty for the root itself. */
  readonly folder: string
  /** Is there such a file? The path is below the root. */
  readonly isFile: (path: string) => boolean
}

/** What a tool made or fetched is no line that anybody mends, though its file may be there. */
const NOT_OWN = /(?:^|\/)(?:node_modules|_next|\.next)\//

/** A line of a stack as one of a file that was checked out; `null` where it is none: an address, a bundle, or elsewhere. */
function lineIn({ file, line }: SourceLine, { root, folder, isFile }: Checkout): SourceLine | null {
  const path = file.replace(/^(?:file:\/\/(?=\/)|app:\/\/\/)/, '').replace(/[?#].*$/, '')
  const below = `${root.replace(/\/+$/, '')}/`
  const found = (path.startsWith(below) ? [path.slice(below.length)] : besides(path, folder)).find(
    (one) => !NOT_OWN.test(one) && isFile(one),
  )
  return found === undefined ? null : { file: found, line }
}

/** A relative path is of where the program ran, or of the root. */
function besides(path: string, folder: string): readonly string[] {
  if (/^(?:[a-z][\w+.-]*:|\/|<)/i.test(path) || path.split('/').includes('..')) return []
  const plain = path.replace(/^(?:\.\/)+/, '')
  return folder === '' ? [plain] : [`${folder}/${plain}`, plain]
}
