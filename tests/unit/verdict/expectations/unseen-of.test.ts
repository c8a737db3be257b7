import { describe, expect, it } from 'vitest'
import { readEvidence } from '../../../../lib/verdict/evidence/read-evidence'
import { unseenOf } from '../../../../lib/verdict/expectations/unseen-of'
import { eventOf, submissionOf } from '../rules/evidence-of'

/** Submissions by their number; each came so many seconds after the epoch. */
const evidence = readEvidence([2, 4, 7].map((seq) => ({ ...submissionOf(eventOf()), seq, receivedAt: seq * 1000 })))

describe('what is not judged', () => {
  it('is nothing where all is there', () => {
    expect(unseenOf(evidence, { olderUntil: null, damaged: [] })).toEqual([])
  })

  it('is what came before', () => {
    expect(unseenOf(evidence, { olderUntil: 1500, damaged: [] })).toEqual([{ from: 0, until: 1500 }])
  })

  it('is what is damaged: it came between the one before and the one after', () => {
    expect(unseenOf(evidence, { olderUntil: null, damaged: [1, 5, 9] })).toEqual([
      { from: 0, until: 2000 },
      { from: 4000, until: 7000 },
      { from: 7000, until: Number.POSITIVE_INFINITY },
    ])
  })
})
