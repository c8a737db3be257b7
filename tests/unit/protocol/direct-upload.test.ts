import { describe, expect, it } from 'vitest'
import { countFiles, eventIdOfForm, hasMinidump, parseCheckInRequest } from '../../../lib/protocol/direct-upload'
import { parseRecord } from '../../../lib/protocol/record'

const part = (head: string, body: string) => `--bound\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`
const form = (...parts: string[]) => Buffer.from(`${parts.join('')}--bound--\r\n`, 'latin1')
const DUMP = part('name="upload_file_minidump"; filename="a.dmp"', 'MDMP\x93\xa7')
const ID = 'e7e61c49-bce4-41e9-8fb7-dfb591bbfc26'

describe('a minidump', () => {
  it.each([
    ['in a form', form(part('name="product"', 'x'), DUMP)],
    ['bare', Buffer.from('MDMP\x93\xa7', 'latin1')],
    ['compressed by its uploader', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0])],
  ])('is found %s, as one item of the category error', (_name, body) => {
    expect(hasMinidump(body)).toBe(true)
    expect(parseRecord('minidump', body)).toMatchObject({
      ok: true,
      value: { items: [{ header: { type: 'minidump' }, payloadStart: 0, payloadEnd: body.length }] },
    })
  })

  it('is searched for in the first MiB', () => {
    const before = (size: number) => form(part('name="a"', 'x'.repeat(size)), DUMP)
    expect(hasMinidump(before(1024 * 1024 - 400))).toBe(true)
    expect(hasMinidump(before(1024 * 1024))).toBe(false)
  })

  it.each([
    ['a form without it', form(part('name="other"; filename="a.dmp"', 'MDMP'))],
    ['text that names it', Buffer.from('name="upload_file_minidump"')],
    ['another file', Buffer.from('PNG')],
  ])('is missing in %s', (_name, body) => {
    expect(parseRecord('minidump', body)).toMatchObject({ ok: false, error: { code: 'minidump_missing' } })
  })

  it.each([
    ['as JSON', form(part('name="sentry"', `{"release":"1","event_id":"${ID}"}`), DUMP)],
    ['as a field', form(DUMP, part('name="sentry[event_id]"', ID.toUpperCase()))],
  ])('may name its event %s', (_name, body) => {
    expect(eventIdOfForm(body)).toBe(ID.replaceAll('-', ''))
  })

  it('has no event id by default', () => {
    expect(eventIdOfForm(form(DUMP, part('name="sentry"', '{"event_id":"none"}')))).toBeNull()
  })
})

it.each([
  ['none in an empty form', form(), 0],
  ['none in a form of fields', form(part('name="a"', 'filename=x')), 0],
  [
    'each file',
    form(part('name="a"', '1'), part('name="b"; filename="b.txt"', 'b'), part("name=c; filename*=UTF-8''c", 'c')),
    2,
  ],
  ['no boundary within a file', form(part('name="b"; filename="b.txt"', 'x --bound filename=y')), 1],
  ['none without a boundary', Buffer.from('filename=x'), 0],
])('files of an event are counted: %s', (_name, body, files) => {
  expect(countFiles(body)).toBe(files)
  expect(parseRecord('attachments', body).ok).toBe(files > 0)
})

it('a file whose name follows more than 8 KiB of headers is not counted', () => {
  const named = (size: number) => form(part(`name="${'x'.repeat(size)}"; filename="a"`, '1'))
  expect([countFiles(named(8 * 1024 - 200)), countFiles(named(8 * 1024))]).toEqual([1, 0])
})

describe('a check-in request', () => {
  const read = (body: string, target: string | null) => {
    const parsed = parseCheckInRequest(Buffer.from(body), target)
    return parsed.ok ? (JSON.parse(Buffer.from(parsed.value).toString()) as unknown) : parsed.error.message
  }

  it('is read from the query', () => {
    expect(read('', 'cron/nightly%20job/{key}/?status=ok&duration=1.5&environment=dev&x=y')).toEqual({
      status: 'ok',
      duration: 1.5,
      environment: 'dev',
      monitor_slug: 'nightly job',
    })
  })

  it('is read from a body, with the monitor of the address', () => {
    expect(read('{"status":"error","monitor_slug":"other","monitor_config":{}}', 'cron/nightly/')).toEqual({
      status: 'error',
      monitor_config: {},
      monitor_slug: 'nightly',
    })
  })

  it.each([
    ['', 'cron/nightly/', /no status/],
    ['[]', 'cron/nightly/?status=ok', /not a JSON object/],
    ['status=ok', 'cron/nightly/', /not a JSON object/],
  ])('%j at %s is refused', (body, target, sentence) => {
    expect(read(body, target)).toMatch(sentence)
  })

  it('without its address keeps the bytes of its body', () => {
    expect(read('{"status":"ok"}', null)).toEqual({ status: 'ok' })
    expect(read('', null)).toEqual({})
  })
})
