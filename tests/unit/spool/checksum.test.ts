import { afterAll, describe, expect, it } from 'vitest'
import { BodyDamagedError, type CheckedRow, readBody } from '../../../collector/spool/record-body'
import { openInProcess, removeFolders, seqOf, submission } from './in-process-spool'

afterAll(removeFolders)

const ROW = 'SELECT deflated, bytes, body, facts, quantities, checksum FROM submissions WHERE seq = ?'

async function stored(body: Uint8Array): Promise<CheckedRow> {
  const spool = openInProcess({})
  const seq = await seqOf(spool.append({ ...submission({}), body }))
  return spool.db.prepare(ROW).get(seq) as CheckedRow
}

/** The row with one bit of a part changed. */
function flipped(row: CheckedRow, part: 'body' | 'facts' | 'quantities', bit: number): CheckedRow {
  const value = row[part]
  const bytes = Buffer.from(value)
  const at = Math.floor(bit / 8) % bytes.length
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit % 8)), at)
  return { ...row, [part]: typeof value === 'string' ? bytes.toString('latin1') : bytes }
}

describe.each([
  [
    'a body that is stored as received',
    Buffer.from('{"dsn":"http://local@127.0.0.1/1"}\n{"type":"event"}\n{"message":"a"}'),
  ],
  ['a deflated body', Buffer.from(`{}\n{"type":"event"}\n{"message":"${'all the same '.repeat(200)}"}`)],
])('the checksum of %s', (_name, body) => {
  it('is that of the stored bytes', async () => {
    const row = await stored(body)
    expect(Buffer.compare(readBody(row), body)).toBe(0)
    expect(row.deflated).toBe(body.length < 512 ? 0 : 1)
  })

  it.each(['body', 'facts', 'quantities'] as const)('finds any changed bit of its %s', async (part) => {
    const row = await stored(body)
    for (let bit = 0; bit < 8 * Buffer.from(row[part]).length; bit += 1)
      expect(() => readBody(flipped(row, part, bit)), `bit ${bit}`).toThrow(BodyDamagedError)
  })
})

it('a record of an earlier version has no checksum, and is read', async () => {
  const body = Buffer.from('{}\n{"type":"event"}\n{}')
  const row = { ...(await stored(body)), checksum: null }
  expect(Buffer.compare(readBody(flipped(row, 'facts', 3)), body)).toBe(0)
})
