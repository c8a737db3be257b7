import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countPending, LIST_BYTES, readPending, readStranded } from '../../../collector/spool/read/read-pending'
import { readRecord } from '../../../collector/spool/read/read-submissions'
import { BodyDamagedError } from '../../../collector/spool/record-body'
import { inlineContent, MAX_INLINE_BODY_BYTES } from '../../../collector/spool/stored-content'
import { RecordedFolder } from '../index/recorded-folder'
import { accepted, removeFolders, submission } from './in-process-spool'

let folder: RecordedFolder
beforeAll(async () => {
  folder = new RecordedFolder()
  const { spool } = folder
  for (const [publicKey, project] of [
    ['one', '1'],
    ['two', '1'],
    ['one', '2'],
    ['one', '1'],
    ['one', '10'],
    ['one', '1'],
  ])
    await spool.append(submission({ publicKey, project }))
  await spool.append(submission({ deliveryStatus: { outcome: 'kept', reason: 'no_upstream' } }))
  await spool.recordAttempt(accepted(1, { status: 413, decision: null, dead: true }))
  await spool.recordAttempt(accepted(3))
})
afterAll(removeFolders)

describe('pending records', () => {
  it('are listed by key and project, oldest first, without dead letters', () => {
    expect(readPending(folder.db, 'one', '1', 0, 10)).toMatchObject([
      { seq: 4, bytes: 100 },
      { seq: 6, bytes: 100 },
    ])
    expect(readPending(folder.db, 'one', '1', 4, 10).map(({ seq }) => seq)).toEqual([6])
    expect(readPending(folder.db, 'one', '1', 0, 1).map(({ seq }) => seq)).toEqual([4])
  })

  it('include the body, except of large or damaged records', async () => {
    const { spool, db } = new RecordedFolder()
    const small = submission({ size: 1000, quantities: [{ category: 'transaction', quantity: 1 }] })
    const large = submission({ size: MAX_INLINE_BODY_BYTES + 1 })
    const text = new TextEncoder().encode('a body that is deflated, '.repeat(100))
    for (const one of [small, large, submission({ body: text }), submission({ body: text })]) await spool.append(one)
    spool.db.prepare("UPDATE submissions SET body = x'00' WHERE seq = 3").run()
    const listed = readPending(db, 'key', '1', 0, 10)
    const records = listed.map(inlineContent)
    expect(records.map((record) => record?.body)).toEqual([small.body, undefined, undefined, text])
    for (const [at, record] of records.entries()) {
      if (record === undefined) continue
      const { body: _, ...alone } = readRecord(db, at + 1) ?? {}
      expect(record).toMatchObject(alone)
    }
    expect(() => readRecord(db, 3)).toThrow(BodyDamagedError)
  })

  it('are listed up to 1 MiB of bodies at a time', async () => {
    const { spool, db } = new RecordedFolder()
    const size = 60 * 1024
    for (let stored = 0; stored < 20; stored += 1) await spool.append(submission({ size }))
    const listed = readPending(db, 'key', '1', 0, 60)
    expect(listed).toHaveLength(Math.floor(LIST_BYTES / size))
    expect(readPending(db, 'key', '1', listed.at(-1)?.seq ?? 0, 60).map(({ seq }) => seq)).toEqual([18, 19, 20])
  })

  it('are counted separately from dead letters', () => {
    expect(countPending(folder.db, 'one', '1')).toEqual({ pending: 2, deadLetters: 1 })
    expect(countPending(folder.db, 'one', '2')).toEqual({ pending: 0, deadLetters: 0 })
  })

  it('are stranded when their key and project are not configured', () => {
    expect(readStranded(folder.db, [])).toEqual([
      { publicKey: 'one', project: '1', records: 2 },
      { publicKey: 'one', project: '10', records: 1 },
      { publicKey: 'two', project: '1', records: 1 },
    ])
    const configured = [
      { publicKey: 'one', project: '1' },
      { publicKey: 'two', project: '10' },
    ]
    expect(readStranded(folder.db, configured).map(({ publicKey, project }) => `${publicKey} ${project}`)).toEqual([
      'one 10',
      'two 1',
    ])
  })
})
