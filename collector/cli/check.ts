import { plainText } from '../../lib/format'
import { evaluate } from '../../lib/verdict/expectations/evaluate'
import { truncateReport } from '../../lib/verdict/expectations/report'
import { terminalReport } from '../../lib/verdict/reports/terminal'
import { stoppedCode } from '../launch/stop-requests.js'
import { askedCollector, explainUnanswered, refuse, WRONG_WORDS } from './asked-collector'
import { readPlan } from './check-plan-files'
import { readCheckWords } from './check-words'
import type { CommandHandover } from './command-handover'
import { type Gathered, gather } from './gather'
import { datedBy, journalSince } from './since'
import { fileReport, prepareFiles } from './tell-report'
import { progressBar, terminalOf } from './terminal'
import { CHECK_HELP } from './waystation-help.js'

/** `waystation check`: judges what a collector has recorded. @returns the exit code, as its help says */
export async function command({ root, words, stop, packaged }: CommandHandover): Promise<number> {
  const read = readCheckWords(words.slice(1), Date.now())
  if (!read.ok) return refuse(WRONG_WORDS, [read.error])
  if (read.value === 'help') {
    console.log(CHECK_HELP)
    return 0
  }
  const asked = read.value
  const plan = await readPlan(asked, process.cwd())
  if (!plan.ok) return refuse(WRONG_WORDS, plan.error)
  const files = prepareFiles(asked)
  if (!files.ok) return refuse(WRONG_WORDS, [files.error])
  const collector = askedCollector(asked.url, { root, packaged })
  if (!collector.ok) return refuse(WRONG_WORDS, collector.error)
  const { client, url, appUrl } = collector.value
  const { stderr } = process
  const bar = progressBar({ doing: 'Reading what was recorded', out: stderr, now: () => performance.now() })
  let gathered: Gathered
  try {
    const after = asked.since === null ? null : await journalSince(asked.since, datedBy(client, stop.first))
    // A line for what is over in a moment is one line too many where lines stay.
    const onProgress = stderr.isTTY === true ? bar.show : () => undefined
    gathered = await gather({ client, collectorUrl: url, stamp: asked.stamp, after, stop: stop.first, onProgress })
  } catch (cause) {
    if (stop.first.aborted) return stoppedCode(stop.first)
    const { code, sentence } = explainUnanswered(cause, collector.value)
    return refuse(code, [sentence])
  } finally {
    if (stderr.isTTY === true) stderr.write('\r\u001b[K')
  }
  const { given, ...beside } = gathered
  const report = evaluate(given, { ...beside, now: Date.now(), stamp: asked.stamp, ...plan.value })
  if (asked.json) console.log(plainText(JSON.stringify(truncateReport(report))))
  else
    process.stdout.write(
      terminalReport(report, { appUrl, writing: asked.writeBaseline !== null, ...terminalOf(process.stdout) }),
    )
  const filed = fileReport(report, { words: asked, env: process.env, now: Date.now(), say: console.error })
  return filed.ok ? filed.value : refuse(WRONG_WORDS, [filed.error])
}
