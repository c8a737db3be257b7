import { describe, expect, it } from 'vitest'
import { isMissingPage } from '../../../lib/contract/missing-page'
import { filteringTransport, REMEMBERED_SEGMENTS } from '../../../lib/sdk/outgoing-filter'
import type { Envelope, RecordDrop, Transport } from '../../../lib/sdk/transport'
import { container, envelope, span, spanIds, transaction } from './envelopes'

function watched() {
  const sent: Envelope[] = []
  const counted: Parameters<RecordDrop>[] = []
  const inner: Transport = {
    send: (one) => {
      sent.push(one)
      return Promise.resolve({ statusCode: 200 })
    },
    flush: () => Promise.resolve(true),
  }
  const transport = filteringTransport(inner, isMissingPage, (...drop) => {
    counted.push(drop)
  })
  return { transport, sent, counted }
}

describe('the filtering transport', () => {
  it('drops a missing page and counts it as ignored', async () => {
    const { transport, sent, counted } = watched()
    await transport.send(envelope(transaction('GET /404', 'a', {}, [{}])))
    expect(sent).toEqual([])
    expect(counted).toEqual([
      ['ignored', 'transaction', 1],
      ['ignored', 'span', 2],
    ])
  })

  it('sends everything else and returns the answer', async () => {
    const { transport, sent, counted } = watched()
    const one = envelope(transaction('/lab', 'a'))
    expect(await transport.send(one)).toEqual({ statusCode: 200 })
    expect(sent).toEqual([one])
    expect(counted).toEqual([])
  })

  it('drops late spans of a segment that it dropped', async () => {
    const { transport, sent, counted } = watched()
    await transport.send(envelope(container(span('a', 'a', '/404'))))
    await transport.send(envelope(container(span('b', 'a', 'Layout shift'))))
    expect(sent).toEqual([])
    expect(counted).toEqual([
      ['ignored', 'span', 1],
      ['ignored', 'span', 1],
    ])
  })

  it(`remembers the last ${REMEMBERED_SEGMENTS} dropped segments and forgets the oldest`, async () => {
    const { transport, sent } = watched()
    for (let n = 0; n <= REMEMBERED_SEGMENTS; n += 1)
      await transport.send(envelope(container(span(`s${n}`, `s${n}`, '/404'))))
    await transport.send(envelope(container(span('late', 's1', 'Click'))))
    expect(sent).toEqual([])
    await transport.send(envelope(container(span('later', 's0', 'Click'))))
    expect(sent.map((one) => spanIds(one[1][0]))).toEqual([['later']])
  })
})
