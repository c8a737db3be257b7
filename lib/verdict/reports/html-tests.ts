import { plural } from '../../format'
import { groupBy } from '../../group-by'
import type { EventDetail } from '../../wire/event'
import type { TraceDetail } from '../../wire/trace'
import type { ObservedTest } from '../arrival/observed'
import type { Report } from '../expectations/report'
import { withoutSecrets } from '../text'
import type { Finding } from '../verdict'
import { findingTexts, oneLine, sortJudged, subjectOf } from './report-text'
import { escapeHtml } from './waterfall-svg'

/** Tests with a section of their own. */
export const MOST_TESTS = 10
const MOST_FRAMES = 8
const MOST_BREADCRUMBS = 12
const MOST_FINDINGS = 10

/** A test that failed, or that findings of failed checks name. */
export interface FailedTest {
  readonly test: string
  /** `null` if no test runner reported it. */
  readonly isOk: boolean | null
  /** Failed assertions, with the lines of the test. */
  readonly errors: readonly string[]
  /** Of requests with trace headers, of its last attempt. */
  readonly traceIds: readonly string[]
  readonly findings: readonly Finding[]
}

/** In the order of the failed checks, then of the tests. Of several attempts the last one tells how a test ended. */
export function failedTests(
  report: Report | null,
  tests: readonly Pick<ObservedTest, 'test' | 'isOk' | 'errors' | 'attempt' | 'traced'>[],
): readonly FailedTest[] {
  const failures = report === null ? [] : sortJudged(report).failures.filter(({ follows }) => follows === undefined)
  const found = groupBy(
    failures.flatMap(({ verdict }) => verdict.findings),
    ({ test }) => test || null,
  )
  const attempts = groupBy(tests, ({ test }) => test)
  const names = new Set([...found.keys(), ...attempts.keys()])
  return [...names].flatMap((test) => {
    const own = [...(attempts.get(test) ?? [])].sort((one, other) => one.attempt - other.attempt)
    const last = own.at(-1)
    const isOk = last?.isOk ?? null
    const findings = found.get(test) ?? []
    const traceIds = last?.traced.map(({ traceId }) => traceId) ?? []
    return isOk !== false && findings.length === 0
      ? []
      : [{ test, isOk, errors: last?.errors ?? [], traceIds, findings }]
  })
}

/** A failed test with its telemetry. */
export interface ShownTest extends FailedTest {
  readonly event: EventDetail | null
  readonly trace: TraceDetail | null
}

/** @param drawTrace HTML of a trace */
export function testsHtml(tests: readonly ShownTest[], drawTrace: (trace: TraceDetail) => string): string {
  if (tests.length === 0) return ''
  const parts = tests.map(
    ({ test, isOk, errors, findings, event, trace }) =>
      `<article><h3><span class="bad">✗</span> ${escapeHtml(oneLine(test))}</h3>
${isOk === false ? '<p class="bad">The test failed.</p>' : ''}${errors.map(errorHtml).join('')}
${findingsHtml(findings)}${event === null ? '' : eventHtml(event)}${trace === null ? '' : drawTrace(trace)}</article>`,
  )
  return `<section><h2>${plural(tests.length, 'failed test')}</h2>${parts.join('\n')}</section>`
}

/** The message of an assertion. Newlines stay; other control characters are made visible. */
const errorHtml = (text: string): string => `<pre>${withoutSecrets(text).split('\n').map(escapeHtml).join('\n')}</pre>`

/** Findings as a list, equal ones together. */
function findingsHtml(findings: readonly Finding[]): string {
  if (findings.length === 0) return ''
  const { listed, more } = findingTexts({ findings, found: findings.length }, { appUrl: null }, MOST_FINDINGS)
  const items = listed.map(
    (text) =>
      `<li><strong>${escapeHtml(subjectOf(text))}</strong><dl><dt>expected</dt><dd>${escapeHtml(text.expected)}</dd><dt>actual</dt><dd>${escapeHtml(text.actual)}</dd></dl></li>`,
  )
  return `<ul>${items.join('')}${more === 0 ? '' : `<li>and ${more} more</li>`}</ul>`
}

/** The stack in the code of the application, and the last breadcrumbs. */
function eventHtml({ title, exceptions, breadcrumbs }: EventDetail): string {
  const frames = exceptions.flatMap((one) => one.frames).filter(({ inApp, filename }) => inApp && filename !== null)
  const lines = frames.slice(0, MOST_FRAMES).map((frame) => {
    const code = frame.source.find(({ ran }) => ran)?.text.trim()
    const place = `${frame.filename}${frame.line === null ? '' : `:${frame.line}`}`
    return `<li><code>${escapeHtml(oneLine(`${frame.function ?? '?'} at ${place}`))}</code>${code ? `<br><code class="soft">${escapeHtml(oneLine(code))}</code>` : ''}</li>`
  })
  const crumbs = breadcrumbs.slice(-MOST_BREADCRUMBS).map(({ category, type, message, data }) => {
    const text = message ?? (data === null ? '' : JSON.stringify(data))
    return `<li><code>${escapeHtml(oneLine(`${category ?? type ?? 'default'} ${text}`))}</code></li>`
  })
  return `<h4>${escapeHtml(oneLine(title))}</h4>${lines.length === 0 ? '' : `<ol>${lines.join('')}</ol>`}
${crumbs.length === 0 ? '' : `<p class="soft">Last breadcrumbs</p><ul>${crumbs.join('')}</ul>`}`
}
