import { describe, expect, it } from 'vitest'
import { parseRecord } from '../../../lib/protocol/record'
import { scrubRecord } from '../../../lib/scrub/scrub-record'

const EVENT = '{"type":"event","length":16}\n{"message":"no"}\n'

function scrub(body: string): { readonly body: string; readonly removed: readonly string[] } {
  const scrubbed = scrubRecord('envelope', Buffer.from(body), 'on')
  expect(parseRecord('envelope', scrubbed.body).ok).toBe(true)
  return {
    body: Buffer.from(scrubbed.body).toString(),
    removed: scrubbed.removed.map(({ rule, path }) => `${rule} ${path}`),
  }
}

describe('the header line of an envelope', () => {
  it('loses the secret in the name of a transaction, and keeps every other byte', () => {
    const line = (name: string): string =>
      `{ "event_id":"0123456789abcdef0123456789abcdef",\\t"trace": {"sample_rate": "1.0","transaction":"${name}" }, "n":1.50}`
    const before = line('GET \\/reset?token=HDRTOK99&email=carol@example.com').replace('\\t', '\t')
    expect(scrub(`${before}\n${EVENT}`)).toEqual({
      body: `${line('GET /reset?token=[Filtered]&email=[Filtered]').replace('\\t', '\t')}\n${EVENT}`,
      removed: ['parameter header.trace.transaction', 'email header.trace.transaction'],
    })
  })

  it.each([
    ['a user of a trace', '{"trace":{"user_id":"a@example.com"}}', '{"trace":{"user_id":"[Filtered]"}}'],
    [
      'users of a trace',
      '{"trace":{"user":{"segment":"a@example.com"}}}',
      '{"trace":{"user":{"segment":"[Filtered]"}}}',
    ],
    ['an environment', '{"trace":{"environment":"a@example.com"}}', '{"trace":{"environment":"[Filtered]"}}'],
    ['a release', '{"trace":{"release":"a?token=x"}}', '{"trace":{"release":"a?token=[Filtered]"}}'],
    ['what nobody knows', '{"x":{"password":"y"}}', '{"x":{"password":"[Filtered]"}}'],
  ])('loses the secret in %s', (_what, before, after) => {
    expect(scrub(`${before}\n${EVENT}`).body).toBe(`${after}\n${EVENT}`)
  })

  it.each([
    [
      'what an envelope is known by',
      '{"dsn":"https://k:s3cret@h.test/1","sdk":{"name":"a@example.com"},"sent_at":"a@b.test"}',
    ],
    [
      'what a trace is known and sampled by',
      '{"trace":{"trace_id":"4111111111111111","public_key":"a@example.com","sample_rand":"token=1","org_id":"a@b.test"}}',
    ],
    ['a route, and a release with its version', '{"trace":{"transaction":"/home/garden","release":"shop@1.2.3"}}'],
    ['an envelope without a line of JSON but its braces', '{}'],
  ])('keeps %s', (_what, line) => {
    expect(scrub(`${line}\n${EVENT}`)).toEqual({ body: `${line}\n${EVENT}`, removed: [] })
  })

  it('is scrubbed where no item follows', () => {
    expect(scrub('{"trace":{"transaction":"?token=x"}}').body).toBe('{"trace":{"transaction":"?token=[Filtered]"}}')
  })

  it('is unchanged in report mode, and its secrets are reported', () => {
    const body = Buffer.from(`{"trace":{"transaction":"?token=x"}}\n${EVENT}`)
    const reported = scrubRecord('envelope', body, 'report')
    expect(reported.body).toBe(body)
    expect(reported.removed).toEqual([{ rule: 'parameter', path: 'header.trace.transaction' }])
  })
})

describe('the header line of an item', () => {
  it('loses the secret in a file name; the bytes of the file stay', () => {
    const rest = 'a@example.com\n'
    expect(scrub(`{}\n{"type":"attachment","length":13,"filename":"/home/alice/mail.txt"}\n${rest}`)).toEqual({
      body: `{}\n{"type":"attachment","length":13,"filename":"/home/[Filtered]/mail.txt"}\n${rest}`,
      removed: ['user_path 0.header.filename'],
    })
  })

  it('is scrubbed together with its payload, and has the new length', () => {
    expect(scrub('{}\n{"type":"event","length":27,"x":"?token=1"}\n{"message":"a@example.com"}\n').body).toBe(
      '{}\n{"type":"event","length":24,"x":"?token=[Filtered]"}\n{"message":"[Filtered]"}\n',
    )
  })

  it('scrubbing edits the header of an unknown item type and keeps its payload', () => {
    expect(scrub('{}\n{"type":"unheard_of","x":"?token=1"}\na@example.com').body).toBe(
      '{}\n{"type":"unheard_of","x":"?token=[Filtered]"}\na@example.com',
    )
  })

  it('keeps the fields that are needed to parse the item', () => {
    const body =
      '{}\n{"type":"attachment","content_type":"a@example.com","attachment_type":"a@example.com","event_id":"a@b.test"}\nx'
    expect(scrub(body)).toEqual({ body, removed: [] })
  })
})
