import type { StoredSubmission } from '../../lib/protocol/submission'
import { readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { RULES } from '../../lib/verdict/rules/registry'

/** Longer than this for one record is a rule that is not linear in it. */
const LONGEST_MS = 5000

/** Judges one record by every rule. @returns what went wrong: a rule that threw, or took too long; never a verdict. */
export function faultsOfJudging(submission: StoredSubmission): readonly string[] {
  const evidence = readEvidence([submission])
  return RULES.flatMap(({ id, judge }) => {
    const begin = performance.now()
    try {
      judge({ evidence, requests: null, fallbacks: null, pageLimits: null, collectorUrl: null })
    } catch (error) {
      return [`${id} threw: ${error instanceof Error ? error.stack : String(error)}`]
    }
    const took = performance.now() - begin
    return took > LONGEST_MS ? [`${id} took ${Math.round(took)} ms`] : []
  })
}
