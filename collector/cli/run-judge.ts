import type { Result } from '../../lib/protocol/result'
import { evaluate } from '../../lib/verdict/expectations/evaluate'
import { EXIT_CODES } from '../../lib/verdict/expectations/report'
import { terminalReport } from '../../lib/verdict/reports/terminal'
import { refuse, WRONG_WORDS } from './asked-collector'
import type { Gathered } from './gather'
import type { RecordPlan } from './run-record'
import { fileReport } from './tell-report'
import { terminalOf } from './terminal'

/**
 * Judges what a program sent and says so on stderr.
 * @param gathered `null` where nothing is to be judged
 * @param beside what to look at where nothing arrived, and how the program ended
 * @returns the exit code of a program that went well
 */
export function judgeRun(
  gathered: Result<Gathered, string> | null,
  { plan, asked, own, boards }: Pick<RecordPlan, 'plan' | 'asked' | 'own' | 'boards'>,
  {
    questions,
    code,
    signal,
  }: { readonly questions: readonly string[]; readonly code: number; readonly signal: string | null },
): number {
  if (gathered === null || plan === null || asked.judging === null) return 0
  if (!gathered.ok) return refuse(EXIT_CODES.incomplete, [`What arrived is not judged: ${gathered.error}.`])
  const { given, ...beside } = gathered.value
  const now = Date.now()
  const program = endOf(code, signal)
  const report = evaluate(given, { ...beside, now, ...plan })
  if (report.from.submissions === 0)
    // What each rule would have needed helps nobody who sent nothing.
    console.error('  ? Nothing arrived that could be judged, which is no pass (--no-check asks for no verdict).\n')
  else {
    const writing = asked.judging.writeBaseline !== null && program === null
    process.stderr.write(
      `${terminalReport(report, { appUrl: boards, writing, ...terminalOf(process.stderr) }).slice(1)}\n`,
    )
  }
  const filed = fileReport(report, {
    words: asked.judging,
    env: own,
    now,
    say: console.error,
    questions: report.from.submissions === 0 ? questions : [],
    program,
  })
  return filed.ok ? filed.value : refuse(WRONG_WORDS, [filed.error])
}

/** `null` where it ended well. */
function endOf(code: number, signal: string | null): string | null {
  if (signal !== null) return `The program was ended by signal ${signal}`
  return code === 0 ? null : `The program ended with code ${code}`
}
