import { afterAll, describe, expect, it } from 'vitest'
import { readEnvelopes } from '../../../collector/index/lists/read-envelopes'
import { readTraces } from '../../../collector/index/lists/read-traces'
import type { DeliveryStatus } from '../../../lib/wire/delivery-status'
import { NEWEST } from '../../../lib/wire/list-paging'
import { worstDeliveryStatus } from '../../../lib/wire/worst-delivery-status'
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

const DEAD: DeliveryStatus = { name: 'pending', reason: 'dead_letter' }

describe('an envelope that upstream refused permanently', () => {
  it('is listed as pending with the reason dead_letter and the answer', async () => {
    const folder = new RecordedFolder()
    const [waiting, dead, done] = folder.receiveAll(
      ['r1', 'r2', 'r3'].map((receipt) => ({ body: BODY, given: { receipt } })),
    )
    if (waiting === undefined || dead === undefined || done === undefined) throw new Error('three were received')
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
    expect(all.map(({ seq, deliveryStatus, deliveries }) => [seq, deliveryStatus, deliveries])).toEqual([
      [done, { name: 'accepted', reason: null }, 1],
      [dead, DEAD, 2],
      [waiting, { name: 'pending', reason: null }, 0],
    ])
    expect(all[1]?.lastDelivery).toMatchObject({ at: 20, status: 413, answer: 'x'.repeat(200) })
    expect(all[2]?.lastDelivery).toBeNull()
    const pending = readEnvelopes(folder.db, { deliveryStatus: 'pending' }, NEWEST, { limit: 9 }).envelopes
    expect(pending.map(({ seq }) => seq)).toEqual([dead, waiting])
    folder.close()
  })

  it('has a worse status than pending without a reason', () => {
    expect(worstDeliveryStatus([{ name: 'accepted', reason: null }, { name: 'pending', reason: null }, DEAD])).toEqual(
      DEAD,
    )
  })

  it('has the same status in the list of traces', async () => {
    const folder = new RecordedFolder()
    const dead = folder.receive(BODY)
    folder.digest()
    await folder.deliver({ ...accepted(dead), status: 400, decision: null, dead: true })
    expect(readTraces(folder.db, {}, NEWEST, { limit: 9 }).traces.map(({ deliveryStatus }) => deliveryStatus)).toEqual([
      DEAD,
    ])
    folder.close()
  })
})
