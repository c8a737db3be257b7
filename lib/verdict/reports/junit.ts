import type { Judged, Report } from '../expectations/report'
import type { Boards } from '../verdict'
import {
  findingTexts,
  headline,
  knownFailureLines,
  knownFailuresLine,
  oneLine,
  type ReportFileOptions,
  sourceSummary,
} from './report-text'

const GROUPS = ['contract', 'errors', 'losses', 'budget'] as const satisfies readonly Judged['group'][]

/**
 * A report as JUnit XML: a suite for each group, a case for each check. A failure is `failure`; a warning passes and says
 * so in `system-out`; what could not be judged is `skipped`. As readers of JUnit take what is skipped for green, a suite
 * of its own says whether what was recorded could be judged at all: there a report that is incomplete is an `error`, and
 * one that fails by a record that is not whole. So does one say where the program failed that sent it.
 */
export function junitReport(report: Report, options: ReportFileOptions): string {
  const { program = null } = options
  const suites = [
    ...(program === null ? [] : [suite('program', [programCase(oneLine(program))])]),
    suite('recording', [recordingCase(report)]),
    ...GROUPS.flatMap((group) => {
      const judged = report.judged.filter((one) => one.group === group)
      return judged.length === 0
        ? []
        : [
            suite(
              group,
              judged.map((one) => caseOf(one, options)),
            ),
          ]
    }),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="waystation">\n${suites.join('\n')}\n</testsuites>\n`
}

interface Case {
  readonly name: string
  readonly ended: 'passed' | 'failure' | 'error' | 'skipped'
  /** Elements inside. */
  readonly inside: string
}

function suite(name: string, cases: readonly Case[]): string {
  const count = (ended: Case['ended']) => cases.filter((one) => one.ended === ended).length
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`
  const lines = cases.map(({ name: title, inside }) => {
    const head = `<testcase name="${attribute(title)}" classname="waystation.${name}" time="0"`
    return `    ${inside === '' ? `${head}/>` : `${head}>${inside}</testcase>`}`
  })
  return `  <testsuite name="${name}" ${counts} time="0">\n${lines.join('\n')}\n  </testsuite>`
}

/** What it sent may be all good, and be but a part. */
const programCase = (end: string): Case => ({
  name: 'the program ended well',
  ended: 'failure',
  inside: element('failure', 'program', end, [end]),
})

function recordingCase(report: Report): Case {
  const name = 'what was recorded can be judged'
  const known = [knownFailuresLine(report) ?? '', ...knownFailureLines(report)].filter((line) => line !== '')
  const out = known.length === 0 ? '' : `<system-out>${content(known.join('\n'))}</system-out>`
  if (report.verdict !== 'incomplete' && report.gaps.length === 0) return { name, ended: 'passed', inside: out }
  const gaps = report.gaps.map(oneLine)
  const because = report.reasons.map(oneLine)
  const inside =
    report.verdict === 'incomplete'
      ? element('error', 'incomplete', [headline(report), ...because.slice(0, 1)].join(': '), [
          headline(report),
          ...because.map((why) => `because ${why}`),
          sourceSummary(report),
        ])
      : element('error', 'not-whole', gaps[0] ?? '', [sourceSummary(report), ...gaps])
  return { name, ended: 'error', inside: `${inside}${out}` }
}

function caseOf(judged: Judged, options: Boards): Case {
  const { id, verdict, severity } = judged
  const name = `${oneLine(judged.title)} (${id})`
  if (verdict.verdict === 'pass') return { name, ended: 'passed', inside: '' }
  if (verdict.verdict === 'incomplete')
    return { name, ended: 'skipped', inside: `<skipped message="${attribute(oneLine(verdict.why))}"/>` }
  const { told, more } = findingTexts({ ...judged, verdict }, options)
  const lines = [
    ...told.flatMap(({ about, path, actual, expected, link, place }) => [
      about,
      ...(path === null ? [] : [`  path      ${path}`]),
      `  expected  ${expected}`,
      `  actual    ${actual}`,
      ...(link === null ? [] : [`  open      ${link}`]),
      ...(place === null ? [] : [`  in        ${place}`]),
    ]),
    ...(more === 0 ? [] : [`and ${more} more`]),
    `fix: ${oneLine(judged.fix)}`,
  ]
  if (severity === 'warning')
    return { name, ended: 'passed', inside: `<system-out>${content(['warning', ...lines].join('\n'))}</system-out>` }
  const [first] = told
  const message = first === undefined ? name : `${first.about}: expected ${first.expected}, got ${first.actual}`
  return { name, ended: 'failure', inside: element('failure', id, message, lines) }
}

const element = (name: 'failure' | 'error', type: string, message: string, lines: readonly string[]): string =>
  `<${name} type="${attribute(type)}" message="${attribute(message)}">${content(lines.join('\n'))}</${name}>`

/** Half a surrogate pair, and what XML 1.0 has no way to write; controls are shown as their code before. */
const NOT_XML = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g

const content = (text: string): string =>
  text.replaceAll(NOT_XML, '\ufffd').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const attribute = (text: string): string => content(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')
