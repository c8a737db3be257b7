import type { Case } from '../verdict/rules/rule'
import type { Recording } from './recording'

/** All that verdicts on a recording may rest on, as it is now. @throws CollectorError where nobody answers */
export async function caseOf(recording: Recording): Promise<Case> {
  const { pages, unnamed } = await recording.limits()
  return {
    evidence: recording.evidence(),
    unseen: recording.unseen(),
    ...recording.watched(),
    limits: { pages, unnamed },
    collectorUrl: recording.collectorUrl,
  }
}
