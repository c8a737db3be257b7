import { TUNNEL_PATH } from '../../contract/values'
import { formatCount, formatDurationMs, formatDurationUs, plural } from '../../format'
import { buildSpanTree, nodesOf } from '../../protocol/trace/span-tree'
import type { Losses } from '../../wire/losses'
import type { RunFacts } from '../../wire/run'
import type { TraceDetail, TraceSummary } from '../../wire/trace'
import type { Report } from '../expectations/report'
import { type Finding, NO_BOARDS } from '../verdict'
import { type ShownTest, testsHtml } from './html-tests'
import {
  exampleText,
  type Failed,
  findingTexts,
  headline,
  lastLine,
  oneLine,
  programFailure,
  sortJudged,
  sourceSummary,
  subjectOf,
} from './report-text'
import { escapeHtml, waterfallSvg } from './waterfall-svg'

/** Traces in one report. */
export const MOST_TRACES = 20
/** The size of the page. Traces that do not fit are listed without their waterfall. */
export const MOST_HTML_BYTES = 5_000_000
/** Space for everything but waterfalls. */
const MOST_OTHER_BYTES = 1_000_000
const SHOWN_FINDINGS = 20
/** Of each trace. */
const SHOWN_ERRORS = 20

export interface HtmlRun {
  /** The file or folder, as the person gave it. */
  readonly source: string
  /** `null` for a folder that no command recorded. */
  readonly facts: RunFacts | null
  /** `null` when nothing was judged. */
  readonly report: Report | null
  readonly losses: Losses
  /** Failed tests with their telemetry, at most `MOST_TESTS`. */
  readonly tests: readonly ShownTest[]
  /** In the order of the page, at most `MOST_TRACES`, without those of `tests`. */
  readonly traces: readonly TraceDetail[]
  /** Traces of the run. */
  readonly traceCount: number
}

/**
 * A page about a run that opens from disk: no script, no request, one inline style that its content security policy names by
 * its hash. Received text is escaped.
 * @param sha256 SHA-256 of a text, in base64
 */
export function htmlReport(run: HtmlRun, sha256: (text: string) => string): string {
  const title = run.facts?.name ?? run.facts?.command ?? run.source
  const draw = traceDrawer()
  const policy = `default-src 'none'; style-src 'sha256-${sha256(STYLE)}'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Waystation</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${run.report === null ? '<p>Nothing was judged (--no-check).</p>' : headHtml(run.report, run.facts)}
${testsHtml(run.tests, draw)}
${run.report === null ? '' : checksHtml(run.report, run.tests)}
${tracesHtml(run, draw)}
${ledgerHtml(run.losses)}
${factsHtml(run)}
</main>
</body>
</html>
`
}

function factsHtml({ facts, source }: HtmlRun): string {
  if (facts === null) return `<p>Recorded in <code>${escapeHtml(source)}</code>.</p>`
  const end = facts.exit.signal === null ? `code ${facts.exit.code}` : `signal ${facts.exit.signal}`
  const rows: readonly (readonly [string, string])[] = [
    ['Command', facts.command],
    ...(facts.commit === null ? [] : [['Commit', facts.commit] as const]),
    ['Started', new Date(facts.startedAt).toISOString()],
    ['Ended', `after ${formatDurationMs(facts.endedAt - facts.startedAt)}, with ${end}`],
  ]
  return `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd><code>${escapeHtml(value)}</code></dd>`).join('')}</dl>`
}

function headHtml(report: Report, facts: RunFacts | null): string {
  const program = facts === null ? null : programFailure(facts.exit)
  const isBad = report.verdict === 'fail' || program !== null
  return `<section><h2 class="${isBad ? 'bad' : ''}">${escapeHtml(lastLine(report, program))}</h2>
<p class="soft">${escapeHtml(headline(report))}. ${escapeHtml(sourceSummary(report))}.</p>
${report.reasons.map((why) => `<p>${escapeHtml(why)}</p>`).join('\n')}</section>`
}

/** Findings that a failed test shows are not repeated. */
function checksHtml(report: Report, tests: readonly ShownTest[]): string {
  const { failures, warnings, unjudged } = sortJudged(report)
  const shown = new Set(tests.flatMap(({ findings }) => findings))
  return `<section><h2>Checks</h2>
${failures.map((check) => checkHtml('✗', check, shown)).join('\n')}
${warnings.map((check) => checkHtml('!', check, shown)).join('\n')}
${unjudged.length === 0 ? '' : `<p class="soft">${plural(unjudged.length, 'check')} incomplete: ${escapeHtml(unjudged.map(({ id }) => id).join(', '))}</p>`}
</section>`
}

function checkHtml(mark: string, check: Failed, shown: ReadonlySet<Finding>): string {
  const { verdict, follows } = check
  const findings = verdict.findings.filter((finding) => !shown.has(finding))
  const above = verdict.findings.length - findings.length
  const { listed, more } = findingTexts({ findings, found: verdict.found - above }, NO_BOARDS, SHOWN_FINDINGS)
  const items = listed.map(
    (text) =>
      `<li><strong>${escapeHtml(subjectOf(text))}</strong><dl>${[
        ['path', text.path] as const,
        ['expected', text.expected] as const,
        ['actual', text.actual] as const,
        ...text.examples.map((example) => ['in', exampleText(example)] as const),
      ]
        .map(([name, value]) => (value === null ? '' : `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`))
        .join('')}</dl></li>`,
  )
  const details =
    follows === undefined
      ? `<p class="soft">${escapeHtml(check.why)}</p>${above === 0 ? '' : `<p>${plural(above, 'finding')} in the failed tests above.</p>`}<ul>${items.join('')}${more === 0 ? '' : `<li>and ${formatCount(more)} more</li>`}</ul>
<p>Fix: ${escapeHtml(check.fix)}</p>`
      : `<p>follows from: ${escapeHtml(follows)}</p>`
  return `<article><h3><span class="${mark === '✗' ? 'bad' : 'warn'}">${mark}</span> ${escapeHtml(check.title)} <code>${escapeHtml(check.id)}</code></h3>
${details}</article>`
}

function ledgerHtml({ categories, losses }: Losses): string {
  if (categories.length === 0) return '<section><h2>Ledger</h2><p>Nothing arrived.</p></section>'
  const names = ['made', 'accepted', 'kept', 'pending', 'notSent', 'lost'] as const
  const head = ['category', 'made', 'accepted', 'kept', 'pending', 'not sent', 'lost']
  const rows = categories.map(
    (row) =>
      `<tr><th scope="row">${escapeHtml(row.category)}</th>${names.map((name) => `<td>${formatCount(row[name])}</td>`).join('')}</tr>`,
  )
  const lost = losses.map(
    ({ by, reason, category, quantity }) =>
      `<li>${formatCount(quantity)} ${escapeHtml(category ?? 'envelopes')} lost by ${by}: ${escapeHtml(reason)}</li>`,
  )
  return `<section><h2>Ledger</h2><table><thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>
${lost.length === 0 ? '<p class="soft">Nothing was lost.</p>' : `<ul>${lost.join('')}</ul>`}</section>`
}

/** Draws traces until the page is full. */
function traceDrawer(): (trace: TraceDetail) => string {
  let left = MOST_HTML_BYTES - MOST_OTHER_BYTES
  return (trace) => {
    const spans = nodesOf(buildSpanTree(trace.spans).roots)
    const drawing = waterfallSvg({ name: trace.summary.name, spans, errors: trace.errors })
    const bytes = new TextEncoder().encode(drawing).length
    const fits = bytes <= left
    if (fits) left -= bytes
    return traceHtml(trace, fits ? drawing : '<p class="soft">The waterfall does not fit into this page.</p>')
  }
}

function tracesHtml({ traces, traceCount, tests }: HtmlRun, draw: (trace: TraceDetail) => string): string {
  const parts = traces.map(draw)
  const more = traceCount - traces.length - tests.filter(({ trace }) => trace !== null).length
  return `<section><h2>${tests.length === 0 ? 'Traces' : 'Other traces'}</h2>${parts.length === 0 ? '<p>No trace arrived.</p>' : parts.join('\n')}
${more > 0 ? `<p class="soft">${plural(more, 'more trace')} in the run: waystation show opens all.</p>` : ''}</section>`
}

function traceHtml({ summary, errors }: TraceDetail, drawing: string): string {
  const details = [formatDurationUs(summary.durationUs), plural(summary.spanCount, 'span'), summary.services.join(', ')]
  const thrown = errors
    .slice(0, SHOWN_ERRORS)
    .map(({ title }) => `<li><span class="bad">✗</span> ${escapeHtml(oneLine(title))}</li>`)
  return `<article><h3>${isFailed(summary) ? '<span class="bad">✗</span> ' : ''}${escapeHtml(oneLine(summary.name))}</h3>
<p class="soft">${escapeHtml(details.join(' · '))} · <code>${escapeHtml(summary.traceId)}</code></p>
${thrown.length === 0 ? '' : `<ul>${thrown.join('')}</ul>`}<div class="scroll">${drawing}</div></article>`
}

const isFailed = ({ errorCount, status }: Pick<TraceSummary, 'errorCount' | 'status'>): boolean =>
  errorCount > 0 || status === 'error'

/**
 * The traces of a report: those that a failed check names, then those with errors, then the slowest. Traces of the tunnel's own
 * requests are left out.
 * @param tunnels the paths to which pages posted envelopes
 */
export function chooseTraces(
  traces: readonly TraceSummary[],
  report: Report | null,
  tunnels: readonly string[] = [],
): readonly TraceSummary[] {
  const ofTunnel = new Set([TUNNEL_PATH, ...tunnels].map((path) => `POST ${path}`))
  const named = new Set(
    (report === null ? [] : sortJudged(report).failures).flatMap(({ verdict }) =>
      verdict.findings.flatMap(({ at }) => at?.traceId ?? []),
    ),
  )
  const rank = (trace: TraceSummary): number => (named.has(trace.traceId) ? 0 : isFailed(trace) ? 1 : 2)
  return traces
    .filter(({ name }) => !ofTunnel.has(name))
    .sort((a, b) => rank(a) - rank(b) || b.durationUs - a.durationUs)
    .slice(0, MOST_TRACES)
}

const STYLE = `:root{color-scheme:light dark;--ink:light-dark(#15191e,#e4e8ec);--soft:light-dark(#434d57,#b0bac4);--line:light-dark(#dde2e7,#2a323a);--bad:light-dark(#b0231c,#ff8f86);--warn:light-dark(#855200,#e5b454);--bar:light-dark(#3570cc,#5a97ee);--bar1:light-dark(#0f7f6e,#3fb8a3);--bar2:light-dark(#7a4fc4,#b08cf0);--bar3:light-dark(#a3611a,#dba35c)}
body{margin:0;background:light-dark(#fff,#101317);color:var(--ink);font:14px/1.5 system-ui,sans-serif}
main{max-width:75rem;margin:0 auto;padding:1.5rem}
h1{font-size:1.625rem}h2{font-size:1.25rem;margin-top:2rem}h3{font-size:1rem;margin-bottom:.25rem}h4{margin:.75rem 0 .25rem}
code,pre{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.8125rem;overflow-wrap:anywhere;white-space:pre-wrap}
.soft{color:var(--soft);margin:.25rem 0}.bad{color:var(--bad)}.warn{color:var(--warn)}
article{border-top:1px solid var(--line);padding:.25rem 0 .75rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.125rem .75rem;margin:.5rem 0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse}th,td{padding:.25rem .75rem;border-bottom:1px solid var(--line);text-align:right;font-variant-numeric:tabular-nums}th:first-child{text-align:left}
.scroll{overflow-x:auto}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}svg text.faint{fill:var(--soft)}svg text.bad{fill:var(--bad)}.bar{fill:var(--bar)}.s1{fill:var(--bar1)}.s2{fill:var(--bar2)}.s3{fill:var(--bar3)}.bar.bad{fill:var(--bad)}`
