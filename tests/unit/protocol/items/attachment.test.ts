import { expect, it } from 'vitest'
import { capturedSignals, envelopeOf, signalOf, signalsIn } from './read-signals'

it('an attachment is named by its file and belongs to event and trace of its envelope', () => {
  expect(capturedSignals('browser-11.8-error-with-attachments')).toMatchObject([
    {
      kind: 'attachment',
      eventId: 'c2f4775aa36f44c7853f8c690dea8ebf',
      traceId: 'f685c4216ab24c0885406b35eaee2c21',
      name: 'notes.txt',
      fields: { content_type: 'text/plain', attachment_type: 'event.attachment', bytes: 12 },
    },
    { name: 'bin.dat', fields: { content_type: 'application/octet-stream', bytes: 7 } },
  ])
})

it('an attachment may be empty, unnamed, and not JSON', () => {
  expect(signalOf('attachment', new Uint8Array())).toMatchObject({ name: '(unnamed file)', fields: { bytes: 0 } })
  const body = Buffer.concat([
    Buffer.from('{}\n{"type":"attachment","length":2,"attachment_type":"event.minidump","filename":9}\n'),
    Buffer.from([0xff, 0x0a]),
  ])
  expect(signalsIn(body)).toMatchObject([{ name: '9', fields: { attachment_type: 'event.minidump', bytes: 2 } }])
  expect(signalsIn(envelopeOf('attachment', '{"deep"'))).toHaveLength(1)
})

it('the first bytes of the payload describe an attachment of a trace', () => {
  const meta = JSON.stringify({
    trace_id: '5b8efff798038103d269b633813fc60c',
    timestamp: 1760520026.781239,
    filename: 'myfile.txt',
    content_type: 'text/plain',
  })
  const header = {
    type: 'attachment',
    content_type: 'application/vnd.sentry.trace-attachment',
    meta_length: meta.length,
  }
  const body = (given: object) => Buffer.from(`{}\n${JSON.stringify({ ...header, ...given })}\n${meta}the file\n`)
  expect(signalsIn(body({}))).toMatchObject([
    {
      name: 'myfile.txt',
      traceId: '5b8efff798038103d269b633813fc60c',
      timestampUs: 1760520026781239,
      fields: { content_type: 'text/plain', bytes: 8 },
    },
  ])
  for (const meta_length of [undefined, 0, -1, meta.length - 1, 1e6, '5'])
    expect(signalsIn(body({ meta_length }))).toMatchObject([
      { name: '(unnamed file)', fields: { bytes: meta.length + 8 } },
    ])
})

it('an attachment that was uploaded before is a placeholder, with the size of the file', () => {
  const header = {
    type: 'attachment',
    content_type: 'application/vnd.sentry.attachment-ref+json',
    attachment_length: 36,
    filename: 'test.txt',
  }
  const payload = JSON.stringify({ location: '/api/42/upload/019a/', content_type: 'text/plain' })
  const body = (text: string) => Buffer.from(`{}\n${JSON.stringify(header)}\n${text}\n`)
  const fields = { content_type: 'text/plain', bytes: 36, location: '/api/42/upload/019a/' }
  expect(signalsIn(body(payload))).toMatchObject([{ name: 'test.txt', fields }])
  expect(signalsIn(body('no JSON'))).toMatchObject([{ fields: { bytes: 36, location: '(unknown)' } }])
})
