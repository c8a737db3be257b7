import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JUDGE_BOUNDS, newestSubmissions } from '../../../collector/spool/read/read-newest'
import { type InProcessSpool, openInProcess, removeFolders, submission } from '../spool/in-process-spool'

let spool: InProcessSpool
beforeEach(() => {
  spool = openInProcess({})
})
afterEach(() => spool.close())
afterAll(removeFolders)

const ALL = { stamp: null, after: 0 }

/** @returns the journal number of the submission. */
async function receive(bytes: number, stamp: string | null = null): Promise<number> {
  const appended = await spool.append(submission({ body: new Uint8Array(bytes), stamp }))
  return 'journal' in appended ? appended.journal : 0
}

const newest = (
  query: { readonly stamp: string | null; readonly after: number },
  bounds: Partial<typeof ALL_BOUNDS> = {},
) => {
  const { submissions, damaged, isPart } = newestSubmissions(spool.db, query, { ...ALL_BOUNDS, ...bounds })
  return { seqs: submissions.map(({ seq }) => seq), damaged, isPart }
}
const ALL_BOUNDS: { readonly submissions: number; readonly bytes: number; readonly scanned: number } = JUDGE_BOUNDS

describe('the submissions that a verdict reads', () => {
  it('are all recorded ones, oldest first, byte for byte', async () => {
    for (const bytes of [10, 2000, 30]) await receive(bytes)
    expect(newest(ALL)).toEqual({ seqs: [1, 2, 3], damaged: [], isPart: false })
    expect(newestSubmissions(spool.db, ALL).submissions.map(({ body }) => body.length)).toEqual([10, 2000, 30])
  })

  it('are none when nothing is recorded', () => {
    expect(newest(ALL)).toEqual({ seqs: [], damaged: [], isPart: false })
  })

  it('are the newest within the limits, and at least one', async () => {
    for (const bytes of [10, 10, 500, 10]) await receive(bytes)
    expect(newest(ALL, { submissions: 2 })).toEqual({ seqs: [3, 4], damaged: [], isPart: true })
    expect(newest(ALL, { submissions: 4 })).toEqual({ seqs: [1, 2, 3, 4], damaged: [], isPart: false })
    expect(newest(ALL, { bytes: 520 })).toEqual({ seqs: [2, 3, 4], damaged: [], isPart: true })
    expect(newest(ALL, { bytes: 1 })).toEqual({ seqs: [4], damaged: [], isPart: true })
  })

  it('are those after a journal number', async () => {
    const journals = [await receive(10), await receive(10), await receive(10)]
    expect(newest({ stamp: null, after: journals[0] ?? 0 })).toEqual({ seqs: [2, 3], damaged: [], isPart: false })
    expect(newest({ stamp: null, after: journals[2] ?? 0 })).toEqual({ seqs: [], damaged: [], isPart: false })
  })

  it('are only those with the given stamp, and marked partial when the scan stops early', async () => {
    for (const stamp of ['mine', null, 'other', 'mine']) await receive(10, stamp)
    expect(newest({ stamp: 'mine', after: 0 })).toEqual({ seqs: [1, 4], damaged: [], isPart: false })
    expect(newest({ stamp: 'mine', after: 0 }, { scanned: 3 })).toEqual({ seqs: [4], damaged: [], isPart: true })
    expect(newest({ stamp: 'mine', after: 0 }, { scanned: 4 })).toEqual({ seqs: [1, 4], damaged: [], isPart: false })
  })

  it('state the time ranges of the submissions left out', async () => {
    const missing = (after: number, bounds: Partial<typeof ALL_BOUNDS> = {}) =>
      newestSubmissions(spool.db, { stamp: null, after }, { ...ALL_BOUNDS, ...bounds }).missing
    const second = [await receive(2000), await receive(2000), await receive(2000)][1] ?? 0
    spool.db.prepare('UPDATE submissions SET received_at = seq * 1000').run()
    expect(missing(0)).toEqual([])
    for (const found of [missing(second), missing(0, { submissions: 1 }), missing(0, { scanned: 1 })])
      expect(found).toEqual([{ from: 0, until: 2000 }])
    spool.db.prepare("UPDATE submissions SET deflated = 1, body = x'ffffffff' WHERE seq = 2").run()
    expect(missing(0)).toEqual([{ from: 2000, until: 2000 }])
  })

  it('list the sequence numbers of unreadable submissions', async () => {
    for (const bytes of [2000, 2000]) await receive(bytes)
    spool.db.prepare("UPDATE submissions SET deflated = 1, body = x'ffffffff' WHERE seq = 1").run()
    expect(newest(ALL)).toEqual({ seqs: [2], damaged: [1], isPart: false })
  })
})
