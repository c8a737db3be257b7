import type { Call } from '../../../lib/ask/calls'
import { checkAnswer } from '../../../lib/ask/check'
import { plainText } from '../../../lib/format'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { evaluate } from '../../../lib/verdict/expectations/evaluate'
import { truncateReport } from '../../../lib/verdict/expectations/report'
import { causesFirst } from '../../../lib/verdict/reports/causes'
import { plainAdvice } from '../../../lib/verdict/reports/next-words'
import { lastLine } from '../../../lib/verdict/reports/report-text'
import { terminalReport } from '../../../lib/verdict/reports/terminal'
import { type ArgumentError, helpOrRefuse, parseArguments, type QueryArguments, readQueryArguments } from '../arguments'
import { printBrief, readBrief } from '../brief'
import { type CommandInput, connectCollector, refuse, refuseRequest } from '../collector-connection'
import { USAGE_ERROR } from '../exit-codes'
import { CHECK_FLAGS } from '../flags.js'
import { journalReader, journalSince } from '../since'
import { progressBar, terminalOf } from '../terminal'
import { type Gathered, gather } from './gather'
import { type JudgingArguments, readJudgingArguments, readPlan } from './judging-arguments'
import { prepareReports, writeReports } from './write-reports'

/** `waystation check`: judges the recording of a collector. Returns the exit code. */
export async function command({ root, words, stop, packaged }: CommandInput): Promise<number> {
  const read = readCheckArguments(words.slice(1), Date.now())
  if (!read.ok) return helpOrRefuse('check', read.error)
  const given = read.value
  const plan = await readPlan(given, process.cwd())
  if (!plan.ok) return refuse(USAGE_ERROR, plan.error)
  const prepared = prepareReports(given)
  if (!prepared.ok) return refuse(USAGE_ERROR, [prepared.error])
  const connection = connectCollector(given.url, { root, packaged })
  if (!connection.ok) return refuse(USAGE_ERROR, connection.error)
  const { client, url, appUrl } = connection.value

  const { stderr } = process
  const bar = progressBar({ doing: 'Reading the recording', out: stderr, now: () => performance.now() })
  let gathered: Gathered
  try {
    const after = given.since === null ? null : await journalSince(given.since, journalReader(client, stop.first))
    // In a log, where lines stay, progress of a second is noise.
    const onProgress = stderr.isTTY === true ? bar.show : () => undefined
    gathered = await gather({ client, collectorUrl: url, stamp: given.stamp, after, stop: stop.first, onProgress })
  } catch (cause) {
    return refuseRequest(cause, connection.value, stop.first)
  } finally {
    if (stderr.isTTY === true) stderr.write('\r\u001b[K')
  }

  const { given: recording, ...rest } = gathered
  const evaluated = evaluate(recording, { ...rest, now: Date.now(), stamp: given.stamp, ...plan.value })
  const report = causesFirst(plainAdvice(evaluated, recording.evidence, []))
  const { json, quiet, writeBaseline, brief } = given
  if (brief !== null) printBrief(checkAnswer(report, sinceOf(brief)), brief)
  else if (json) console.log(plainText(JSON.stringify(truncateReport(report))))
  else if (!quiet || report.verdict !== 'pass') {
    const terminal = { appUrl, ...terminalOf(process.stdout) }
    process.stdout.write(terminalReport(report, { writing: writeBaseline !== null, quiet, ...terminal }))
  }
  const written = writeReports(report, { given, env: process.env, now: Date.now(), log: console.error })
  if (!written.ok) return refuse(USAGE_ERROR, [written.error])
  // Failures in a new baseline fail nothing.
  if (!json && brief === null && writeBaseline === null) console.log(`\n${lastLine(report)}`)
  return written.value
}

type CheckArguments = JudgingArguments & QueryArguments & { readonly brief: Call | null }

/** The part of the recording that an answer's next calls read, too. */
const sinceOf = ({ args: { since } }: Call): Call['args'] => (since === undefined ? {} : { since })

function readCheckArguments(args: readonly string[], now: number): Result<CheckArguments, ArgumentError> {
  const parsed = parseArguments(args, CHECK_FLAGS)
  if (!parsed.ok) return parsed
  const { positionals } = parsed.value
  const [positional] = positionals
  if (positional !== undefined)
    return fail(`unknown argument ${JSON.stringify(positional)}; check takes only flags, see --help`)
  const query = readQueryArguments(parsed.value, now)
  if (!query.ok) return query
  const brief = readBrief('check', parsed.value.given)
  if (!brief.ok) return brief
  const judging = readJudgingArguments(parsed.value)
  return judging.ok ? succeed({ ...query.value, ...judging.value, brief: brief.value }) : judging
}
