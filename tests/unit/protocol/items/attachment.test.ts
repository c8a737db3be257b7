import { describe, expect, it } from 'vitest'
import { capturedSignals, envelopeOf, signalOf, signalsIn } from './read-signals'

describe('an attachment', () => {
  it('is named by its file and belongs to event and trace of its envelope', () => {
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

  it('may be empty, unnamed, and not JSON', () => {
    expect(signalOf('attachment', new Uint8Array())).toMatchObject({ name: '(unnamed file)', fields: { bytes: 0 } })
    const body = Buffer.concat([
      Buffer.from('{}\n{"type":"attachment","length":2,"attachment_type":"event.minidump","filename":9}\n'),
      Buffer.from([0xff, 0x0a]),
    ])
    expect(signalsIn(body)).toMatchObject([{ name: '9', fields: { attachment_type: 'event.minidump', bytes: 2 } }])
    expect(signalsIn(envelopeOf('attachment', '{"deep"'))).toHaveLength(1)
  })
})
