import type { Judged, Report } from '../expectations/report'
import type { Boards } from '../verdict'
import {
  exampleText,
  findingTexts,
  flakyLine,
  followsText,
  headline,
  knownFailureLines,
  knownFailuresLine,
  oneLine,
  type ReportFileOptions,
  sourceSummary,
  subjectOf,
} from './report-text'

const GROUPS = [
  'contract',
  'errors',
  'losses',
  'budget',
  'expect',
  'profile',
  'arrival',
] as const satisfies readonly Judged['group'][]

/**
 * A report as JUnit XML: a suite per group, a case per check. Failures become `failure`, warnings pass with `system-out`,
 * and checks without data are `skipped`. JUnit readers show skipped cases as green, so the extra suite `recording` has an
 * `error` for an incomplete report or record, and the suite `program` a `failure` if the checked program failed.
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

/** A failed program may have sent only a part of its telemetry. */
const programCase = (end: string): Case => ({
  name: 'the program succeeded',
  ended: 'failure',
  inside: element('failure', 'program', end, [end]),
})

function recordingCase(report: Report): Case {
  const name = 'the record is complete'
  const notes = [knownFailuresLine(report), ...knownFailureLines(report), flakyLine(report)].flatMap(
    (line) => line ?? [],
  )
  const out = notes.length === 0 ? '' : `<system-out>${content(notes.join('\n'))}</system-out>`
  if (report.verdict !== 'incomplete' && report.gaps.length === 0) return { name, ended: 'passed', inside: out }
  const gaps = report.gaps.map(oneLine)
  const because = report.reasons.map(oneLine)
  const inside =
    report.verdict === 'incomplete'
      ? element('error', 'incomplete', [headline(report), ...because.slice(0, 1)].join(': '), [
          headline(report),
          ...because.map((why) => `reason: ${why}`),
          sourceSummary(report),
        ])
      : element('error', 'record-incomplete', gaps[0] ?? '', [sourceSummary(report), ...gaps])
  return { name, ended: 'error', inside: `${inside}${out}` }
}

function caseOf(judged: Judged, options: Boards): Case {
  const { id, verdict, severity } = judged
  const name = `${oneLine(judged.title)} (${id})`
  if (verdict.verdict === 'pass') return { name, ended: 'passed', inside: '' }
  if (verdict.verdict === 'incomplete')
    return { name, ended: 'skipped', inside: `<skipped message="${attribute(oneLine(verdict.why))}"/>` }
  const { listed, more } = findingTexts(verdict, options)
  const lines = [
    ...listed.flatMap((text) => [
      subjectOf(text),
      ...(text.path === null ? [] : [`  path      ${text.path}`]),
      `  expected  ${text.expected}`,
      `  actual    ${text.actual}`,
      ...text.examples.map((example) => `  in        ${exampleText(example)}`),
    ]),
    ...(more === 0 ? [] : [`and ${more} more`]),
    `fix: ${oneLine(judged.fix)}`,
  ]
  if (severity === 'warning')
    return { name, ended: 'passed', inside: `<system-out>${content(['warning', ...lines].join('\n'))}</system-out>` }
  if (judged.follows !== undefined) {
    const cause = followsText(judged.follows)
    return { name, ended: 'failure', inside: element('failure', id, cause, [cause]) }
  }
  const [first] = listed
  const message =
    first === undefined
      ? name
      : [
          `${subjectOf(first)}: expected ${first.expected}, got ${first.actual}`,
          ...first.examples.flatMap(({ test }) => test ?? []),
        ].join(', ')
  return { name, ended: 'failure', inside: element('failure', id, message, lines) }
}

const element = (name: 'failure' | 'error', type: string, message: string, lines: readonly string[]): string =>
  `<${name} type="${attribute(type)}" message="${attribute(message)}">${content(lines.join('\n'))}</${name}>`

/** Lone surrogates and characters that XML 1.0 cannot contain; control characters were replaced before. */
const NOT_XML = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g

const content = (text: string): string =>
  text.replaceAll(NOT_XML, '\ufffd').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const attribute = (text: string): string => content(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')
