import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { createFeedbackLimiter } from '../../../app/feedback/feedback-limiter'
import { receiveFeedback, showFeedback } from '../../../app/feedback/receive-feedback'
import { TOKENS } from '../../../lib/document/style'
import { createBodyBudget } from '../../../lib/tunnel/body-budget'
import type { Tunnel } from '../../../lib/tunnel/tunnel'

const EVENT = 'e'.repeat(32)
const TRACE = 'a'.repeat(32)
const POLICY = { tokenRequired: false, hosts: ['shop.example'], origins: [] }
const SCRIPT = '<script>alert(1)</script>"\'&'

type Send = Tunnel['send']
const ANSWER = { statusCode: 200, isWaiting: false, headers: { 'x-sentry-rate-limits': null, 'retry-after': null } }

function setUp(answer: Partial<Awaited<ReturnType<Send>>> = {}) {
  const send = vi.fn<Send>(async () => ({ ...ANSWER, ...answer }))
  const clock = { ms: 0 }
  const options = {
    policy: POLICY,
    settings: { dsn: 'http://local@127.0.0.1:8969/1', lifecycle: 'static', environment: 'test', release: null },
    send,
    limiter: createFeedbackLimiter(() => clock.ms),
    bodies: createBodyBudget(),
    now: () => 0,
    newUuid: () => '01234567-89ab-4cde-8f01-23456789abcd',
  } as const
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
    receiveFeedback(
      new Request('http://localhost:3000/feedback/send', {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { host: 'localhost:3000', origin: 'http://localhost:3000', ...headers },
      }),
      options,
    )
  const sent = () => send.mock.calls.map(([body]) => JSON.parse(String(body).split('\n')[2] ?? ''))
  return { post, send, sent, clock }
}

const show = (query = '', headers: Record<string, string> = {}): Response =>
  showFeedback(
    new Request(`http://localhost:3000/feedback${query}`, { headers: { host: 'localhost:3000', ...headers } }),
    POLICY,
  )

/** The text in the form, as a browser reads it: the first line end after the tag does not count. */
const textIn = (page: string): string | undefined => /<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(page)?.[1]

describe('GET /feedback', () => {
  it('is a form for the report in its address, with a policy that allows no script', async () => {
    const answer = show(`?event=${EVENT}&trace=${TRACE}&digest=3239642203&page=%2Fcart`)
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('referrer-policy')).toBe('same-origin')
    expect(page).toContain('<form method="post" action="/feedback/send">')
    for (const [name, value] of Object.entries({ event: EVENT, trace: TRACE, digest: '3239642203', page: '/cart' }))
      expect(page).toContain(`<input type="hidden" name="${name}" value="${value}">`)
    expect(page).not.toContain('<script')
    expect(textIn(page)).toBe('')
  })

  it.each([
    ['event', 'xyz', '32 hexadecimal digits'],
    ['trace', SCRIPT, '32 hexadecimal digits'],
    ['digest', '12a', 'a number'],
    ['page', 'https://evil.test/', 'a path of this app'],
    ['page', '//evil.test/', 'a path of this app'],
    ['page', `/${'x'.repeat(2048)}`, 'with at most 2,048 characters'],
  ])('leaves out an invalid %s (%s) and says so', async (field, value, valid) => {
    const page = await show(`?${new URLSearchParams({ [field]: value })}`).text()
    expect(page).not.toContain(`name="${field}"`)
    expect(page).not.toContain('<script')
    expect(page).toContain(valid)
  })

  it('takes a page of 2048 characters, and the digest of an error of Next', async () => {
    const page = await show(`?page=/${'x'.repeat(2047)}&digest=123%40E394`).text()
    expect(page).toContain(`value="/${'x'.repeat(2047)}"`)
    expect(page).toContain('value="123@E394"')
  })

  it('refuses a foreign Host, and frames of other sites', async () => {
    expect(show('', { host: 'evil.test' }).status).toBe(403)
    expect(show('', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' }).status).toBe(403)
    expect(show('', { host: 'shop.example' }).status).toBe(200)
  })
})

describe('POST /feedback/send', () => {
  it('sends the message, joined to its report, and says that it is stored', async () => {
    const { post, send, sent } = setUp()
    const message = 'first\r\nsecond'
    const answer = await post(
      { message, email: ' me@example.org ', event: EVENT, trace: TRACE, digest: '7', page: '/lab' },
      { cookie: 'waystation-stamp=s', 'user-agent': 'B/1', authorization: 'Bearer x', 'x-forwarded-for': '192.0.2.1' },
    )
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(page).toContain('<h1 id="result" tabindex="-1" autofocus>Thank you. Your message is stored.</h1>')
    expect(page).toContain(EVENT)
    expect(page).not.toContain('<form')
    expect(sent()).toMatchObject([
      {
        event_id: '0123456789ab4cde8f0123456789abcd',
        contexts: {
          trace: { trace_id: TRACE, span_id: '0123456789ab4cde' },
          feedback: {
            message: 'first\nsecond',
            contact_email: 'me@example.org',
            associated_event_id: EVENT,
            url: 'http://localhost:3000/lab',
          },
        },
        tags: { digest: '7' },
      },
    ])
    expect(send.mock.calls[0]?.[1]).toEqual({
      origin: 'http://localhost:3000',
      cookie: 'waystation-stamp=s',
      host: 'localhost:3000',
      'user-agent': 'B/1',
      'x-forwarded-for': '192.0.2.1',
      'x-waystation-lab': '1',
    })
  })

  it('sets the cookie of the tunnel, with which the browser sees and deletes its message', async () => {
    const cookie = 'waystation-visitor-abcd=x; Path=/'
    const headers = { ...ANSWER.headers, 'set-cookie': cookie }
    for (const isWaiting of [false, true]) {
      const answer = await setUp({ headers, isWaiting }).post({ message: 'x' })
      expect(answer.headers.get('set-cookie')).toBe(cookie)
    }
  })

  it('names the report of an error only for a message that has one', async () => {
    const words = 'next to the report of the error'
    expect(await (await setUp().post({ message: 'x', event: EVENT })).text()).toContain(words)
    expect(await (await setUp().post({ message: 'x' })).text()).not.toContain(words)
    expect(await show(`?digest=7`).text()).toContain(words)
    expect(await show().text()).not.toContain(words)
  })

  it('says that the message waits when the lifeboat has it', async () => {
    const answer = await setUp({ isWaiting: true }).post({ message: 'x' })
    expect(answer.status).toBe(202)
    expect(await answer.text()).toContain('Your message is waiting.')
  })

  it.each([503, 500, 403, 429])(
    'says that the message was not sent for an answer %i, and keeps text and report',
    async (statusCode) => {
      const message = `\n${SCRIPT}\r\nsecond`
      const answer = await setUp({ statusCode }).post({ message, email: 'me@example.org', event: EVENT })
      const page = await answer.text()
      expect(answer.status).toBe(503)
      expect(page).toContain('role="alert" tabindex="-1" autofocus><strong>Your message was not sent</strong>')
      expect(textIn(page)).toBe('\n&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\nsecond')
      expect(page).toContain('value="me@example.org"')
      expect(page).toContain(`name="event" value="${EVENT}"`)
      expect(page).not.toContain('<script')
    },
  )

  it.each([
    ['an empty text', { message: ' \r\n ' }, 'the text is empty', 'message'],
    [
      'a text of 4001 characters',
      { message: 'x'.repeat(4001) },
      'has 4,001 characters; shorten it to at most 4,000',
      'message',
    ],
    ['no e-mail address', { message: 'x', email: 'me at home' }, '“me at home” is not an e-mail address', 'email'],
    [
      'an address of 255 characters',
      { message: 'x', email: `${'m'.repeat(253)}@x` },
      'at most 254 characters',
      'email',
    ],
  ])('refuses %s with 422, keeps it, and moves the focus to its field', async (_, fields, text, field) => {
    const { post, send } = setUp()
    const answer = await post(fields)
    const page = await answer.text()
    expect(answer.status).toBe(422)
    expect(page).toMatch(new RegExp(`<p class="error" id="${field}-error">[^<]*${text}`))
    expect(page).toMatch(
      new RegExp(`id="${field}"[^>]* aria-invalid="true" aria-describedby="${field}-error ${field}-hint" autofocus`),
    )
    expect(page.match(/autofocus/g)).toHaveLength(1)
    expect(textIn(page)).toBe(fields.message.replaceAll('\r\n', '\n'))
    expect(send).not.toHaveBeenCalled()
  })

  it('takes the longest text and address, also in characters of three bytes and with line ends', async () => {
    const { post, sent } = setUp()
    const message = '界\r\n'.repeat(2000)
    const page = `/${'x'.repeat(2047)}`
    expect((await post({ message, email: `${'m'.repeat(252)}@x`, page })).status).toBe(200)
    expect((await post({ message: '界'.repeat(4000), page })).status).toBe(200)
    expect(sent()[0].contexts.feedback.message).toHaveLength(4000)
  })

  it('refuses an invalid report with 422 and leaves it out of the form', async () => {
    const { post } = setUp()
    const answer = await post({ message: 'x', event: 'xyz', trace: TRACE })
    const page = await answer.text()
    expect(answer.status).toBe(422)
    expect(page).toContain('The report ID “xyz” is not 32 hexadecimal digits.')
    expect(page).not.toContain('name="event"')
    expect(page).toContain(`name="trace" value="${TRACE}"`)
  })

  it('refuses the sixth message of an address within a minute with 429, and keeps its text', async () => {
    const { post, send, clock } = setUp()
    const from = (address: string) => post({ message: 'again' }, { 'x-forwarded-for': `203.0.113.7, ${address}` })
    for (let sent = 0; sent < 5; sent += 1) expect((await from('192.0.2.1')).status).toBe(200)
    clock.ms = 17_500
    const answer = await from('192.0.2.1')
    const page = await answer.text()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '43'])
    expect(page).toContain('try again in 43 seconds.')
    expect(textIn(page)).toBe('again')
    expect((await from('192.0.2.2')).status).toBe(200)
    expect(send).toHaveBeenCalledTimes(6)
  })

  it.each([
    [{ origin: 'https://evil.test' }],
    [{ origin: 'null' }],
    [{ host: 'evil.test', origin: 'http://evil.test' }],
  ])('refuses the post of a foreign page (%o) without reading it', async (headers) => {
    const { post, send } = setUp()
    const answer = await post({ message: 'x' }, headers)
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('Go back: your browser still has your text.')
    expect(send).not.toHaveBeenCalled()
  })

  it('refuses a form above 64 KiB with 413, and another content type with 415', async () => {
    const { post, send } = setUp()
    const large = await post({ message: 'x'.repeat(64 * 1024) })
    expect(large.status).toBe(413)
    expect(await large.text()).toContain('The form is larger than 64 KiB. Go back')
    const json = await post({ message: 'x' }, { 'content-type': 'application/json' })
    expect(json.status).toBe(415)
    expect(await json.text()).toContain('&quot;application/json&quot; is not that of a form')
    expect(send).not.toHaveBeenCalled()
  })
})

it('the colours of the feedback page are those of the boards', () => {
  const tokens = readFileSync(new URL('../../../dashboards/ui/tokens.css', import.meta.url), 'utf8')
  for (const [name, value] of Object.entries(TOKENS)) expect(tokens).toContain(`${name}: ${value};`)
})
