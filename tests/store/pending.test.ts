import { expect, it } from 'vitest'
import { LIST_BYTES } from '../../collector/spool/read/read-pending'
import { inlineContent, MAX_INLINE_BODY_BYTES } from '../../collector/spool/stored-content'
import { accepted, keptSubmission, seqOf, submission } from '../unit/spool/in-process-spool'
import { describeStores, type OpenedStore } from './engines'

const seqsOf = async (list: ReturnType<OpenedStore['pending']>) => (await list).map(({ seq }) => seq)

describeStores('pending records', (open) => {
  it('are listed by key and project in the order of their numbers, without decided and dead ones', async () => {
    const store = await open()
    const seqs: number[] = []
    for (const [publicKey, project] of [
      ['one', '1'],
      ['two', '1'],
      ['one', '1'],
      ['one', '1'],
      ['one', '10'],
      ['one', '1'],
    ] as const)
      seqs.push(await seqOf(store.append(submission({ publicKey, project }))))
    const [dead = 0, two = 0, decided = 0, third = 0, ten = 0, last = 0] = seqs
    await store.append(keptSubmission({ publicKey: 'one' }))
    await store.append(submission({ publicKey: 'one', endpoint: 'stream', deliveryStatus: 'copy' }))
    await store.recordAttempt(accepted(dead, { status: 413, decision: null, dead: true }))
    await store.recordAttempt(accepted(decided))

    expect(await store.pending('one', '1', 0, 10)).toMatchObject([
      { seq: third, bytes: 100 },
      { seq: last, bytes: 100 },
    ])
    expect(await seqsOf(store.pending('one', '1', third, 10))).toEqual([last])
    expect(await seqsOf(store.pending('one', '1', 0, 1))).toEqual([third])
    expect(await seqsOf(store.pending('one', '1', last, 10))).toEqual([])
    expect(await seqsOf(store.pending('one', '10', 0, 10))).toEqual([ten])
    expect(await store.countPending('one', '1')).toEqual({ pending: 2, deadLetters: 1 })
    expect(await store.countPending('one', '2')).toEqual({ pending: 0, deadLetters: 0 })

    expect(await store.stranded([])).toEqual([
      { publicKey: 'one', project: '1', records: 2 },
      { publicKey: 'one', project: '10', records: 1 },
      { publicKey: 'two', project: '1', records: 1 },
    ])
    const configured = [
      { publicKey: 'one', project: '1' },
      { publicKey: 'two', project: '10' },
    ]
    expect(await store.stranded(configured)).toEqual([
      { publicKey: 'one', project: '10', records: 1 },
      { publicKey: 'two', project: '1', records: 1 },
    ])
    expect(await seqsOf(store.pending('two', '1', 0, 10))).toEqual([two])
  })

  it('include their content, except for large bodies', async () => {
    const store = await open()
    const text = new TextEncoder().encode('a body that is deflated, '.repeat(100))
    const sent = [
      submission({ size: 1000, stamp: 'a', quantities: [{ category: 'transaction', quantity: 1 }] }),
      submission({ size: MAX_INLINE_BODY_BYTES }),
      submission({ size: MAX_INLINE_BODY_BYTES + 1 }),
      submission({ size: 0 }),
      submission({ body: text }),
    ]
    const seqs: number[] = []
    for (const one of sent) seqs.push(await seqOf(store.append(one)))
    const listed = await store.pending('key', '1', 0, 10)
    expect(listed.map(({ seq, bytes }) => [seq, bytes])).toEqual(sent.map(({ body }, at) => [seqs[at], body.length]))
    for (const [at, one] of listed.entries()) {
      const content = inlineContent(one)
      const isLarge = one.bytes > MAX_INLINE_BODY_BYTES
      expect(content === undefined).toBe(isLarge)
      if (content === undefined) continue
      expect(Buffer.compare(content.body, sent[at]?.body ?? Buffer.of(1))).toBe(0)
      const { body: _, ...alone } = (await store.record(one.seq)) ?? {}
      expect(content).toMatchObject(alone)
    }
  })

  it('are listed up to 1 MiB of bodies at a time', async () => {
    const store = await open()
    const size = 60 * 1024
    const seqs: number[] = []
    for (let stored = 0; stored < 20; stored += 1) seqs.push(await seqOf(store.append(submission({ size }))))
    const listed = await store.pending('key', '1', 0, 60)
    expect(listed).toHaveLength(Math.floor(LIST_BYTES / size))
    expect(await seqsOf(store.pending('key', '1', listed.at(-1)?.seq ?? 0, 60))).toEqual(seqs.slice(-3))
  })

  it('are listed by deflated bodies as by their received size', async () => {
    const store = await open()
    const body = new TextEncoder().encode('x'.repeat(60 * 1024))
    for (let stored = 0; stored < 20; stored += 1) await store.append(submission({ body }))
    expect(await store.pending('key', '1', 0, 60)).toHaveLength(Math.floor(LIST_BYTES / body.length))
  })
})
