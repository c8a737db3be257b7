import { afterAll, describe, expect, it } from 'vitest'
import { readEnvelopes } from '../../../collector/index/list-envelopes'
import { NEWEST } from '../../../collector/index/page'
import { readTraces } from '../../../collector/index/read-traces'
import { type Fate, worstFate } from '../../../lib/wire/fate'
import { accepted, removeFolders } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

const TRACE_ID = 'aaaabbbbccccddddaaaabbbbccccdddd'
const ERROR = JSON.stringify({
  event_id: '0123456789abcdef0123456789abcdef',
  timestamp: 1_795_000_000,
  message: 'one',
  contexts: { trace: { trace_id: TRACE_ID, span_id: '0123456789abcdef' } },
})
const BODY = ['{}', '{"type":"event"}', ERROR].join('\n')

afterAll(removeFolders)

const DEAD: Fate = { name: 'pending', reason: 'dead_letter' }

describe('an envelope that upstream refused for what it is', () => {
  it('is pending as a dead letter, says what it was answered, and is found among the pending', async () => {
    const folder = new RecordedFolder()
    const [owed, dead, done] = folder.receiveAll(
      ['r1', 'r2', 'r3'].map((receipt) => ({ body: BODY, given: { receipt } })),
    )
    if (owed === undefined || dead === undefined || done === undefined) throw new Error('three were received')
    await folder.deliver({ ...accepted(dead), status: 503, endedAt: 10, decision: null })
    await folder.deliver({
      ...accepted(dead),
      status: 413,
      endedAt: 20,
      answer: 'x'.repeat(300),
      decision: null,
      dead: true,
    })
    await folder.deliver(accepted(done))
    const all = readEnvelopes(folder.db, {}, NEWEST, { limit: 9 }).envelopes
    expect(all.map(({ seq, fate, deliveries }) => [seq, fate, deliveries])).toEqual([
      [done, { name: 'accepted', reason: null }, 1],
      [dead, DEAD, 2],
      [owed, { name: 'pending', reason: null }, 0],
    ])
    expect(all[1]?.lastDelivery).toMatchObject({ at: 20, status: 413, answer: 'x'.repeat(200) })
    expect(all[2]?.lastDelivery).toBeNull()
    const pending = readEnvelopes(folder.db, { fate: 'pending' }, NEWEST, { limit: 9 }).envelopes
    expect(pending.map(({ seq }) => seq)).toEqual([dead, owed])
    folder.close()
  })

  it('is named before what is pending for no reason', () => {
    expect(worstFate([{ name: 'accepted', reason: null }, { name: 'pending', reason: null }, DEAD])).toEqual(DEAD)
  })

  it('is so in the list of traces, too', async () => {
    const folder = new RecordedFolder()
    const dead = folder.receive(BODY)
    folder.digest()
    await folder.deliver({ ...accepted(dead), status: 400, decision: null, dead: true })
    expect(readTraces(folder.db, {}, NEWEST, { limit: 9 }).traces.map(({ fate }) => fate)).toEqual([DEAD])
    folder.close()
  })
})
