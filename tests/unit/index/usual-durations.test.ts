import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { COMPARED_SEGMENTS, readUsual } from '../../../collector/index/lists/read-segments'
import { removeFolders } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

const START = 1_795_000_000
const SPAN = '1'.repeat(16)
const idOf = (n: number): string => n.toString(16).padStart(32, '0')

let folder: RecordedFolder
beforeEach(() => {
  folder = new RecordedFolder()
  return () => folder.close()
})
afterAll(removeFolders)

interface Given {
  readonly name?: string
  readonly op?: string
  readonly platform?: string
  readonly ms?: number
  readonly project?: string
}

/** Receives a transaction, the only one of its trace. @returns the record's number */
function receive(trace: number, given: Given = {}): number {
  const { name = `/orders/${trace}`, op = 'pageload', platform = 'javascript', ms = trace, project } = given
  const item = {
    ...{ type: 'transaction', transaction: name, platform, start_timestamp: START, timestamp: START + ms / 1000 },
    contexts: { trace: { trace_id: idOf(trace), span_id: SPAN, op } },
  }
  const body = `{}\n{"type":"transaction"}\n${JSON.stringify(item)}`
  return folder.receive(body, project === undefined ? {} : { project })
}

const usual = (trace: number) => {
  folder.digest()
  return readUsual(folder.db, idOf(trace), SPAN)
}

describe('the usual durations of a segment', () => {
  it('are those of other segments whose names differ in ids only, the newest first', () => {
    for (const trace of [10, 20, 30]) receive(trace)
    expect(usual(20)).toEqual({ durationsUs: [30_000, 10_000], isCut: false })
  })

  it('leave out other names, ops, services and projects', () => {
    receive(1)
    receive(2, { name: '/orders/2/items' })
    receive(3, { op: 'navigation' })
    receive(4, { platform: 'node' })
    receive(5, { project: '77' })
    receive(6)
    expect(usual(1)).toEqual({ durationsUs: [6000], isCut: false })
    expect(usual(5)).toEqual({ durationsUs: [], isCut: false })
  })

  it('are those of the newest 200, also of an older segment', () => {
    for (let trace = 1; trace <= COMPARED_SEGMENTS + 1; trace += 1) receive(trace)
    expect(usual(1)).toMatchObject({ isCut: false, durationsUs: { length: COMPARED_SEGMENTS, 0: 201_000, 199: 2000 } })
    receive(300)
    expect(usual(1)).toMatchObject({ isCut: true, durationsUs: { length: COMPARED_SEGMENTS, 0: 300_000, 199: 3000 } })
    expect(usual(300)).toMatchObject({ isCut: true, durationsUs: { length: COMPARED_SEGMENTS, 0: 201_000 } })
  })

  it('leave out evicted segments; a segment that is not stored has none', async () => {
    const [first] = [receive(1), receive(2), receive(3)]
    folder.digest()
    await folder.evict([first])
    expect(usual(2)).toEqual({ durationsUs: [3000], isCut: false })
    expect(usual(1)).toBeNull()
  })
})
