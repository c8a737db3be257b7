import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatBytes, plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { chooseTraces, htmlReport } from '../../lib/verdict/reports/html'
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
  const traces: TraceDetail[] = []
  for (const { traceId } of chooseTraces(listed, report)) {
    const trace = await client.trace(traceId)
    if (trace !== null) traces.push(trace)
  }
  const facts = { source, facts: manifest, report, losses, traces, traceCount: overview.counts.traces }
  return htmlReport(facts, (text) => createHash('sha256').update(text).digest('base64'))
}

async function listTraces(client: CollectorClient): Promise<readonly TraceSummary[]> {
  const all: TraceSummary[] = []
  let cursor: string | null = null
  do {
    const page = await client.traces({ limit: PAGE, ...(cursor !== null && { cursor }) })
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
