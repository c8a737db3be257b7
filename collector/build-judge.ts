import { performance } from 'node:perf_hooks'
import { startTimer } from '../lib/time'
import type { Contract } from '../lib/wire/contract'
import type { LimitsNow } from '../lib/wire/limits'
import type { LastVerdict } from './api/figures'
import type { AppDeps } from './app'
import type { BuiltStorage } from './build-storage'
import { createJudge } from './judge/judge'

export interface BuiltJudge {
  readonly deps: Pick<AppDeps, 'contract' | 'expectSpans'>
  /** Of the last judgement of the whole record; `null` when there was none. Starts nothing. */
  readonly lastVerdict: () => LastVerdict | null
  readonly close: () => Promise<void>
}

/** Verdicts on what is on record, judged on a thread that the first query starts. */
export function buildJudge(
  folder: string,
  { spool, hub }: BuiltStorage,
  limits: () => Promise<LimitsNow>,
  collectorUrl: () => string,
): BuiltJudge {
  const judge = createJudge({
    folder,
    hub,
    newest: spool.newestRecorded,
    pageLimits: limits,
    collectorUrl,
    later: startTimer,
    monotonic: () => performance.now(),
  })
  let last: LastVerdict | null = null
  return {
    deps: {
      contract: async (query) => {
        // Telemetry that arrives during the judgement may be missing in it.
        const at = Date.now()
        const contract = await judge.contract(query)
        if (query.stamp === null && query.after === 0) last = { ...summaryOf(contract), at }
        return contract
      },
      expectSpans: judge.spans,
    },
    lastVerdict: () => last,
    close: judge.close,
  }
}

/** One failed rule decides; without any judged one the verdict is incomplete. */
function summaryOf({ settings, beyond }: Contract): { verdict: 'pass' | 'fail' | 'incomplete'; failed: number } {
  const verdicts = [...settings.flatMap(({ rules }) => rules), ...beyond].map(({ verdict }) => verdict.verdict)
  const failed = verdicts.filter((one) => one === 'fail').length
  return { failed, verdict: failed > 0 ? 'fail' : verdicts.includes('pass') ? 'pass' : 'incomplete' }
}
