import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countPending, readOwed, readStranded } from '../../../collector/store/read-owed'
import { accepted, removeFolders, submission } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

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
  await spool.append(submission({ fate: { outcome: 'kept', reason: 'no_upstream' } }))
  await spool.deliver(accepted(1, { status: 413, decision: null, dead: true }))
  await spool.deliver(accepted(3))
})
afterAll(removeFolders)

describe('what is owed', () => {
  it('is read per key and project, oldest first, without dead letters', () => {
    expect(readOwed(folder.db, 'one', '1', 0, 10)).toEqual([
      { seq: 4, bytes: 100 },
      { seq: 6, bytes: 100 },
    ])
    expect(readOwed(folder.db, 'one', '1', 4, 10).map(({ seq }) => seq)).toEqual([6])
    expect(readOwed(folder.db, 'one', '1', 0, 1).map(({ seq }) => seq)).toEqual([4])
  })

  it('is counted beside the dead letters', () => {
    expect(countPending(folder.db, 'one', '1')).toEqual({ owed: 2, deadLetters: 1 })
    expect(countPending(folder.db, 'one', '2')).toEqual({ owed: 0, deadLetters: 0 })
  })

  it('is stranded where its key with its project is not configured', () => {
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
