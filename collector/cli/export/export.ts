import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { describeItems, itemJson, readKinds } from '../../../lib/ask/items/describe-items'
import { followRecorded } from '../../../lib/ask/items/follow-recorded'
import { nameHint } from '../../../lib/config/nearest'
import { formatCount, plainText, plural } from '../../../lib/format'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import type { CollectorClient } from '../../../lib/wire/collector-client'
import { explainSystemError } from '../../launch/explain-failure.js'
import { hasCode } from '../../launch/processes.js'
import { stoppedCode } from '../../launch/stop-requests.js'
import { openRun } from '../../runs/open-run'
import { type ArgumentError, helpOrRefuse, parseArguments, type QueryArguments, readQueryArguments } from '../arguments'
import { ANSWER_TIMEOUT_MS, type CommandInput, connectCollector, refuse, refuseRequest } from '../collector-connection'
import { NO_COLLECTOR, USAGE_ERROR } from '../exit-codes'
import { EXPORT_FLAGS } from '../flags.js'
import { prepareFile } from '../judge/write-reports'
import { readRun } from '../run-collector'
import { journalReader, journalSince } from '../since'
import { progressBar } from '../terminal'
import { type ExportFilter, selectRows } from './export-filter'
import { OTLP_KINDS, otlpLines } from './export-otlp'

/** `waystation export`: writes recorded telemetry as NDJSON or OTLP. Returns the exit code. */
export async function command(input: CommandInput): Promise<number> {
  const read = readExportArguments(input.words.slice(1), Date.now())
  if (!read.ok) return helpOrRefuse('export', read.error)
  const given = read.value
  if (given.out !== null) {
    const prepared = prepareFile('--out', given.out)
    if (!prepared.ok) return refuse(USAGE_ERROR, [prepared.error])
  }
  return given.path === null ? exportCollector(given, input) : exportRun(given.path, given, input)
}

async function exportCollector(given: ExportArguments, input: CommandInput): Promise<number> {
  const connection = connectCollector(given.url, input)
  if (!connection.ok) return refuse(USAGE_ERROR, connection.error)
  try {
    return await exportFrom(connection.value.client, given, input)
  } catch (cause) {
    return refuseRequest(cause, connection.value, input.stop.first)
  }
}

async function exportRun(path: string, given: ExportArguments, input: CommandInput): Promise<number> {
  const run = await openRun(path, { log: (line) => console.error(plainText(line)) })
  if (!run.ok) return refuse(NO_COLLECTOR, [run.error])
  try {
    const code = await readRun(run.value.folder, input, (client) => exportFrom(client, given, input))
    return code.ok ? code.value : refuse(NO_COLLECTOR, [code.error])
  } finally {
    run.value.close()
  }
}

/** Writes everything that is recorded by now, page by page. @throws what the client throws */
async function exportFrom(client: CollectorClient, given: ExportArguments, { stop }: CommandInput): Promise<number> {
  const { out } = given
  const after = given.since === null ? 0 : await journalSince(given.since, journalReader(client, stop.first))
  // A bar between the lines of the export could not be read.
  const isHidden = process.stderr.isTTY !== true || (out === null && process.stdout.isTTY === true)
  const bar = isHidden ? null : progressBar({ doing: 'Exporting', out: process.stderr, now: () => performance.now() })
  const counts: Counts = { lines: 0, damaged: 0, rest: new Map() }
  const lines = exportedLines(client, given, {
    ...{ after, counts, stop: stop.first },
    onProgress: (done, of) => bar?.show(done, of),
  })
  try {
    if (out === null) await pipeline(lines, process.stdout, { end: false })
    else await pipeline(lines, createWriteStream(resolve(out), { mode: 0o600 }))
  } catch (cause) {
    // The reader of the output has ended, such as `head`.
    if (out === null && hasCode(cause, 'EPIPE')) return 0
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    return refuse(NO_COLLECTOR, [`${out ?? 'The output'} cannot be written: ${explainSystemError(cause)}.`])
  }
  if (stop.first.aborted) return stoppedCode(stop.first)
  const summary = summaryOf(counts, given)
  if (bar === null) for (const line of summary) console.error(line)
  else bar.end(summary.join('\n'))
  return counts.damaged > 0 ? 1 : 0
}

interface Counts {
  lines: number
  /** Envelopes whose stored bytes cannot be read. */
  damaged: number
  /** How many items of each kind have no form in OTLP. */
  readonly rest: Map<string, number>
}

async function* exportedLines(
  client: CollectorClient,
  given: ExportArguments,
  {
    after,
    counts,
    stop,
    onProgress,
  }: {
    readonly after: number
    readonly counts: Counts
    readonly stop: AbortSignal
    readonly onProgress: (done: number, of: number) => void
  },
): AsyncGenerator<string, void, undefined> {
  const { stamp, format, kinds } = given
  // `late` ends the reading at the newest item.
  for await (const part of followRecorded({
    client,
    after,
    stamp,
    stop,
    late: AbortSignal.abort(),
    timeoutMs: ANSWER_TIMEOUT_MS,
  })) {
    for (const evidence of part.evidence) {
      const selected = selectRows(evidence, given)
      const exported =
        format === 'otlp'
          ? otlpLines(selected, given)
          : { lines: describeItems(selected, kinds).map(itemJson), rest: [] }
      for (const [kind, count] of exported.rest) counts.rest.set(kind, (counts.rest.get(kind) ?? 0) + count)
      counts.lines += exported.lines.length
      for (const line of exported.lines) yield `${line}\n`
    }
    counts.damaged += part.damaged.length
    onProgress(part.read - after, part.of - after)
  }
}

function summaryOf({ lines, rest, damaged }: Counts, { out, format }: ExportArguments): readonly string[] {
  const where = out === null ? '' : ` in ${out}`
  const unit = format === 'otlp' ? ['request of OTLP', 'requests of OTLP'] : ['item', 'items']
  const kinds = [...rest].map(([kind, count]) => `${formatCount(count)} ${kind}`)
  return [
    `Exported ${plural(lines, unit[0] ?? '', unit[1])}${where}.`,
    ...(kinds.length === 0 ? [] : [`Not in OTLP: ${kinds.join(', ')}.`]),
    ...(damaged === 0 ? [] : [`The stored bytes of ${plural(damaged, 'envelope')} cannot be read.`]),
  ].map(plainText)
}

interface ExportArguments extends ExportFilter, Pick<QueryArguments, 'url' | 'stamp' | 'since'> {
  /** A saved run or a folder; `null` for a running collector. */
  readonly path: string | null
  readonly format: 'ndjson' | 'otlp'
  /** `null` for standard output. */
  readonly out: string | null
}

/** @param now ms since the epoch @returns a message for a wrong argument */
export function readExportArguments(args: readonly string[], now: number): Result<ExportArguments, ArgumentError> {
  const parsed = parseArguments(args, EXPORT_FLAGS)
  if (!parsed.ok) return parsed
  const { value, has, wrong, positionals } = parsed.value
  const [path, ...others] = positionals
  if (others.length > 0) return fail(`export reads one file or folder, got ${JSON.stringify(positionals)}`)
  if (path !== undefined && has('--url')) return fail('--url names a running collector; remove it, or the file')
  const format = value('--format') ?? EXPORT_FLAGS['--format'].default
  if (format !== 'ndjson' && format !== 'otlp') return fail(wrong('--format'))
  const kinds = readKinds(value('--kind'))
  if (!kinds.ok) return kinds
  const unknown =
    format === 'otlp' ? [...kinds.value].find((kind) => !OTLP_KINDS.some((one) => one === kind)) : undefined
  if (unknown !== undefined) return fail(`OTLP has no ${JSON.stringify(unknown)}; ${nameHint(unknown, OTLP_KINDS)}`)
  const trace = value('--trace')
  if (trace !== null && !/^[0-9a-f]{32}$/i.test(trace)) return fail(wrong('--trace'))
  const query = readQueryArguments({ ...parsed.value, has: () => false }, now)
  if (!query.ok) return query
  const { url, stamp, since } = query.value
  return succeed({
    ...{ url, stamp, since, format, kinds: kinds.value },
    path: path ?? null,
    trace: trace?.toLowerCase() ?? null,
    service: value('--service'),
    out: value('--out'),
  })
}
