import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatBytes, plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { readObservedTest } from '../../lib/verdict/arrival/observed'
import { chooseTraces, htmlReport } from '../../lib/verdict/reports/html'
import { type FailedTest, failedTests, MOST_TESTS, type ShownTest } from '../../lib/verdict/reports/html-tests'
import { pathOf } from '../../lib/verdict/rules/browser-requests'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { TraceDetail, TraceSummary } from '../../lib/wire/trace'
import { explainSystemError } from '../launch/explain-failure.js'
import { type OpenRun, openRun } from '../runs/open-run'
import { type ArgumentError, helpOrRefuse, parseArguments, readRunPath } from './arguments'
import { type CommandInput, refuse } from './collector-connection'
import { NO_COLLECTOR, USAGE_ERROR } from './exit-codes'
import { REPORT_FLAGS } from './flags.js'
import { prepareFile } from './judge/write-reports'
import { readRun } from './run-collector'

/** Traces from which those of the report are chosen: the newest. */
const MOST_LISTED = 2000
const PAGE = 200

/** `waystation report`: one page about a run. Returns the exit code. */
export async function command({ root, bundles, words, stop }: CommandInput): Promise<number> {
  const read = readReportArguments(words.slice(1))
  if (!read.ok) return helpOrRefuse('report', read.error)
  const { path, out } = read.value
  const prepared = prepareFile('--out', out)
  if (!prepared.ok) return refuse(USAGE_ERROR, [prepared.error])
  const run = await openRun(path, { log: (line) => console.error(plainText(line)) })
  if (!run.ok) return refuse(NO_COLLECTOR, [run.error])
  try {
    const page = await readRun(run.value.folder, { root, bundles, stop }, (client) => pageOf(path, run.value, client))
    if (!page.ok) return refuse(NO_COLLECTOR, [page.error])
    writeFileSync(resolve(out), page.value)
    console.error(plainText(`${out} is written (${formatBytes(Buffer.byteLength(page.value))}).`))
    return 0
  } catch (cause) {
    return refuse(NO_COLLECTOR, [`${out} cannot be written: ${explainSystemError(cause)}.`])
  } finally {
    run.value.close()
  }
}

async function pageOf(source: string, { manifest, verdict }: OpenRun, client: CollectorClient): Promise<string> {
  const report = verdict?.report ?? null
  const [losses, overview, listed] = await Promise.all([client.losses({}), client.overview(), listTraces(client)])
  const observed = (verdict?.tests ?? []).flatMap((line) => {
    const test = readObservedTest(line)
    return test.ok ? [test.value] : []
  })
  const tunnels = observed.flatMap(({ posts }) => posts.map(({ url }) => pathOf(url)))
  const chosen = (all: readonly TraceSummary[]) => chooseTraces(all, report, tunnels)
  const tests: ShownTest[] = []
  for (const test of failedTests(report, observed).slice(0, MOST_TESTS)) {
    const [first] = chosen(listed.filter(({ traceId }) => test.traceIds.includes(traceId)))
    tests.push(await telemetryOf(test, first?.traceId ?? null, client))
  }
  const shown = new Set(tests.map(({ trace }) => trace?.summary.traceId))
  const traces: TraceDetail[] = []
  for (const { traceId } of chosen(listed)) {
    const trace = shown.has(traceId) ? null : await client.trace(traceId)
    if (trace !== null) traces.push(trace)
  }
  const facts = { source, facts: manifest, report, losses, tests, traces, traceCount: overview.counts.traces }
  return htmlReport(facts, (text) => createHash('sha256').update(text).digest('base64'))
}

/** The first event and trace that findings name. @param otherwise the trace if they name none */
async function telemetryOf(test: FailedTest, otherwise: string | null, client: CollectorClient): Promise<ShownTest> {
  const [eventId] = test.findings.flatMap(({ at }) => at?.eventId ?? [])
  const event = eventId === undefined ? null : await client.event(eventId)
  const [named] = test.findings.flatMap(({ at }) => at?.traceId ?? [])
  const traceId = named ?? event?.traceId ?? otherwise
  return { ...test, event, trace: traceId === null ? null : await client.trace(traceId) }
}

async function listTraces(client: CollectorClient): Promise<readonly TraceSummary[]> {
  const all: TraceSummary[] = []
  let cursor: string | null = null
  do {
    const page = await client.traces({ filter: { own: 'show' }, limit: PAGE, ...(cursor !== null && { cursor }) })
    all.push(...page.traces)
    cursor = page.next
  } while (cursor !== null && all.length < MOST_LISTED)
  return all
}

interface ReportArguments {
  readonly path: string
  readonly out: string
}

/** @returns a message for a wrong argument */
export function readReportArguments(args: readonly string[]): Result<ReportArguments, ArgumentError> {
  const parsed = parseArguments(args, REPORT_FLAGS)
  if (!parsed.ok) return parsed
  const { value, has, positionals } = parsed.value
  const path = readRunPath('report', positionals)
  if (!path.ok) return path
  if (!has('--html')) return fail('report requires --html, its only format')
  return succeed({ path: path.value, out: value('--out') ?? REPORT_FLAGS['--out'].default })
}
