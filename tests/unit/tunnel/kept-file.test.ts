import { describe, expect, it } from 'vitest'
import { decodeKept, encodeKept, nameFor, readName } from '../../../lib/tunnel/kept-file'

const RECEIPT = '6b1f7a52-9f0c-4d6e-8a43-5f2d1c0b9e87'
const body = Buffer.from('{"dsn":"x"}\n{"type":"event"}\n\0\xff\r\n', 'latin1')
const envelope = {
  receipt: RECEIPT,
  headers: { 'content-type': 'text/plain', 'user-agent': 'Zürich "1"' },
  body: { blocks: [body.subarray(0, 5), body.subarray(5)], byteLength: body.byteLength },
}
const facts = (change: Record<string, unknown>) => {
  const good = { format: 'lifeboat/1', receipt: RECEIPT, byteLength: 3, headers: {} }
  return Buffer.from(`${JSON.stringify({ ...good, ...change })}\nabc`)
}

describe('a kept file', () => {
  it('gives back the receipt, the headers and every byte', () => {
    const read = decodeKept(Buffer.concat(encodeKept(envelope, 1000)), 1000)
    expect(read).toMatchObject({ ok: true, value: { receipt: RECEIPT, headers: envelope.headers } })
    expect(read.ok && Buffer.concat(read.value.body.blocks).equals(body)).toBe(true)
  })

  it.each([
    ['empty', Buffer.alloc(0)],
    ['without a newline', Buffer.from('{"format":"lifeboat/1"}')],
    ['without facts', Buffer.from('hello\nabc')],
    ['of an unknown format', facts({ format: 'lifeboat/2' })],
    ['without a receipt', facts({ receipt: undefined })],
    ['with a receipt that is none', facts({ receipt: '../../etc' })],
    ['with headers that are never passed on', facts({ headers: { cookie: 'a=1' } })],
    ['cut short', facts({ byteLength: 4 })],
    ['with bytes too many', facts({ byteLength: 2 })],
    ['with facts that are not UTF-8', Buffer.concat([Buffer.of(0xff), facts({})])],
  ])('is not read when it is %s', (_what, file) => {
    expect(decodeKept(file, 0).ok).toBe(false)
    expect(decodeKept(facts({}), 0).ok).toBe(true)
  })

  it.each([
    ['as long as it was', Buffer.concat(encodeKept(envelope, 1000)), '61000'],
    ['no time where the clock was set back', Buffer.concat(encodeKept(envelope, 99_000)), '0'],
    ['no time where it does not say since when', facts({}), '0'],
  ])('tells the collector that it was kept %s', (_how, file, kept) => {
    expect(decodeKept(file, 62_000)).toMatchObject({ value: { headers: { 'x-waystation-kept': kept } } })
  })

  it('has a name that sorts by time, and holds the receipt and what it takes of the room', () => {
    const names = [nameFor(999, 7, RECEIPT, 1), nameFor(1000, 8, RECEIPT, 4096), nameFor(1000, 9, RECEIPT, 4097)]
    expect(names.map(({ name }) => name).sort()).toEqual(names.map(({ name }) => name))
    expect(names[0]?.name).toContain(RECEIPT)
    expect(names.map(({ name }) => readName(name)?.room)).toEqual([4096, 4096, 8192])
  })

  it('is told from a half written one, one set aside, and files of others', () => {
    const { name } = nameFor(1, 1, RECEIPT, 1)
    expect([name, `${name}.part`, `${name}.unreadable`].map((one) => readName(one)?.suffix)).toEqual([
      '',
      '.part',
      '.unreadable',
    ])
    for (const other of ['notes.txt', `${name}.bak`, `x${name}`, '.probe-1']) expect(readName(other)).toBeNull()
  })
})
