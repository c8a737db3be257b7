import { describe, expect, it } from 'vitest'
import { decodeFile, encodeFile, fileName, parseFileName } from '../../../lib/tunnel/lifeboat'

const RECEIPT = '6b1f7a52-9f0c-4d6e-8a43-5f2d1c0b9e87'
const body = Buffer.from('{"dsn":"x"}\n{"type":"event"}\n\0\xff\r\n', 'latin1')
const envelope = {
  receipt: RECEIPT,
  path: '/tunnel',
  headers: { 'content-type': 'text/plain', 'user-agent': 'Zürich "1"' },
  body: { blocks: [body.subarray(0, 5), body.subarray(5)], byteLength: body.byteLength },
}
const facts = (change: Record<string, unknown>) => {
  const good = { format: 'lifeboat/1', receipt: RECEIPT, byteLength: 3, headers: {} }
  return Buffer.from(`${JSON.stringify({ ...good, ...change })}\nabc`)
}

describe('a lifeboat file', () => {
  it('returns the receipt, the headers and every byte', () => {
    const read = decodeFile(Buffer.concat(encodeFile(envelope, { at: 1000 })), { at: 1000 })
    expect(read).toMatchObject({ ok: true, value: { receipt: RECEIPT, headers: envelope.headers } })
    expect(read.ok && Buffer.concat(read.value.body.blocks).equals(body)).toBe(true)
  })

  it('returns the path and the content type of spans of OpenTelemetry', () => {
    const path = '/api/42/otlp/v1/traces?sentry_key=public'
    const spans = { ...envelope, path, headers: { 'content-type': 'application/x-protobuf' } }
    const read = decodeFile(Buffer.concat(encodeFile(spans, { at: 1000 })), { at: 1000 })
    expect(read).toMatchObject({ ok: true, value: { path, headers: spans.headers } })
  })

  it('a file of an older version, without a path, holds an envelope', () => {
    expect(decodeFile(facts({}), { at: 0 })).toMatchObject({ ok: true, value: { path: '/tunnel' } })
  })

  it.each([
    ['empty', Buffer.alloc(0)],
    ['without a newline', Buffer.from('{"format":"lifeboat/1"}')],
    ['without facts', Buffer.from('hello\nabc')],
    ['of an unknown format', facts({ format: 'lifeboat/2' })],
    ['without a receipt', facts({ receipt: undefined })],
    ['with a malformed receipt', facts({ receipt: '../../etc' })],
    ['with a path to which the tunnel never posts', facts({ path: '/control/clear' })],
    ['with headers that the tunnel never forwards', facts({ headers: { cookie: 'a=1' } })],
    ['cut short', facts({ byteLength: 4 })],
    ['with too many bytes', facts({ byteLength: 2 })],
    ['with facts that are not UTF-8', Buffer.concat([Buffer.of(0xff), facts({})])],
  ])('is rejected when it is %s', (_what, file) => {
    expect(decodeFile(file, { at: 0 }).ok).toBe(false)
    expect(decodeFile(facts({}), { at: 0 }).ok).toBe(true)
  })

  it.each([
    ['its time in the lifeboat', Buffer.concat(encodeFile(envelope, { at: 1000 })), '61000'],
    ['0 after the clock was set back', Buffer.concat(encodeFile(envelope, { at: 99_000 })), '0'],
    ['0 without a start time', facts({}), '0'],
  ])('sends the collector %s', (_how, file, kept) => {
    expect(decodeFile(file, { at: 62_000 })).toMatchObject({ value: { headers: { 'x-waystation-kept': kept } } })
  })

  it('has a name that sorts by time and contains the receipt and the size', () => {
    const names = [fileName(999, 7, RECEIPT, 1), fileName(1000, 8, RECEIPT, 4096), fileName(1000, 9, RECEIPT, 4097)]
    expect(names.map(({ name }) => name).sort()).toEqual(names.map(({ name }) => name))
    expect(names[0]?.name).toContain(RECEIPT)
    expect(names.map(({ name }) => parseFileName(name)?.diskBytes)).toEqual([4096, 4096, 8192])
  })

  it('is distinguished from incomplete, marked and foreign files', () => {
    const { name } = fileName(1, 1, RECEIPT, 1)
    expect([name, `${name}.part`, `${name}.unreadable`].map((one) => parseFileName(one)?.suffix)).toEqual([
      '',
      '.part',
      '.unreadable',
    ])
    for (const other of ['notes.txt', `${name}.bak`, `x${name}`, '.probe-1']) expect(parseFileName(other)).toBeNull()
  })
})
