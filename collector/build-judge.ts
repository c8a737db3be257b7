import { performance } from 'node:perf_hooks'
import { startTimer } from '../lib/time'
import type { LimitsNow } from '../lib/wire/limits'
import type { AppDeps } from './app'
import type { BuiltStorage } from './build-storage'
import { createJudge } from './judge/judge'

export interface BuiltJudge {
  readonly deps: Pick<AppDeps, 'contract' | 'expectSpans'>
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
  return { deps: { contract: judge.contract, expectSpans: judge.spans }, close: judge.close }
}
