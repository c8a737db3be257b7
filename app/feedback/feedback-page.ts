import { createHash } from 'node:crypto'
import { FEEDBACK_PATH } from '../../lib/sdk/paths'
import { PAGE_ICON } from '../../lib/wire/pages'
import { type Draft, MAX_EMAIL, MAX_MESSAGE, type Problem, type ReportLink } from './feedback-fields'
import { STYLE } from './feedback-style'
import { FORM, REPORT } from './feedback-texts'

/*
 * HTML without React and without scripts: this page must work when a layout of the app fails, and in a browser that runs no
 * scripts. A template escapes every text.
 */

interface Markup {
  readonly markup: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? '')

function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Markup | readonly Markup[])[]
): Markup {
  const written = values.map((value) => {
    if (typeof value === 'string' || typeof value === 'number') return escaped(String(value))
    return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
  })
  return { markup: String.raw({ raw: parts }, ...written) }
}

const NOTHING = html``

export interface Heading {
  readonly title: string
  readonly text: string
}

/** A result without a form. */
export const resultPage = (status: number, { title, text }: Heading, link: ReportLink, headers: HeadersInit = {}) =>
  pageResponse(
    status,
    title,
    html`<h1 id="result" tabindex="-1" autofocus>${title}</h1>
      <p>${text}</p>
      ${reportOf(link)}
      <p><a class="button" href="/">${FORM.home}</a></p>`,
    headers,
  )

export interface FormState {
  readonly draft: Draft
  readonly problems: readonly Problem[]
  /** The reason why the last attempt failed; `null` for a new form. */
  readonly failure: Heading | null
}

/** The form, after a failure with its text. Focus moves to the first invalid field, or to the reason of the failure. */
export function formPage(status: number, { draft, problems, failure }: FormState, headers: HeadersInit = {}): Response {
  const ofField = (field: keyof Draft): readonly string[] =>
    problems.filter((one) => one.field === field).map(({ text }) => text)
  const [message, email] = [ofField('message'), ofField('email')]
  const notes = problems.filter(({ field }) => field !== 'message' && field !== 'email')
  const isPost = failure !== null
  const focus = !isPost ? null : message.length > 0 ? 'message' : email.length > 0 ? 'email' : 'result'
  return pageResponse(
    status,
    failure?.title ?? FORM.title,
    html`<h1>${FORM.title}</h1>
      ${failure === null ? NOTHING : html`<div id="result" class="banner bad" role="alert" tabindex="-1"${focused(focus === 'result')}><strong>${failure.title}</strong> ${failure.text}</div>`}
      ${notes.map(({ text }) => html`<p class="banner">${text}</p>`)}
      <p id="intro">${FORM.intro}</p>
      ${reportOf(draft)}
      <form method="post" action="${FEEDBACK_PATH}/send">
        ${(['event', 'trace', 'digest', 'page'] as const).map((name) => hidden(name, draft[name]))}
        <label for="message">${FORM.message}</label>
        <p class="hint" id="message-hint">${FORM.messageHint(MAX_MESSAGE)}</p>
        ${errorOf('message', message)}
        <textarea id="message" name="message" rows="8" maxlength="${MAX_MESSAGE}" required${describedBy('message', message)}${focused(focus === 'message')}>
${draft.message}</textarea>
        <label for="email">${FORM.email}</label>
        <p class="hint" id="email-hint">${FORM.emailHint}</p>
        ${errorOf('email', email)}
        <input id="email" name="email" type="email" maxlength="${MAX_EMAIL}" autocomplete="email" value="${draft.email}"${describedBy('email', email)}${focused(focus === 'email')}>
        <p class="row"><button class="button primary" type="submit">${FORM.send}</button> <a class="button" href="/">${FORM.home}</a></p>
      </form>`,
    headers,
  )
}

const focused = (is: boolean): Markup => (is ? html` autofocus` : NOTHING)

const errorOf = (field: string, texts: readonly string[]): Markup =>
  texts.length === 0 ? NOTHING : html`<p class="error" id="${field}-error">${texts.join(' ')}</p>`

const describedBy = (field: string, texts: readonly string[]): Markup =>
  texts.length === 0
    ? html` aria-describedby="${field}-hint"`
    : html` aria-invalid="true" aria-describedby="${field}-error ${field}-hint"`

const hidden = (name: string, value: string | null): Markup =>
  value === null ? NOTHING : html`<input type="hidden" name="${name}" value="${value}">`

function reportOf(link: ReportLink): Markup {
  const known = (['event', 'digest', 'page'] as const).filter((name) => link[name] !== null)
  if (known.length === 0) return NOTHING
  return html`<dl>${known.map((name) => html`<div><dt>${REPORT[name]}</dt><dd><code>${link[name] ?? ''}</code></dd></div>`)}</dl>`
}

/** Nothing but this style sheet, this form and the icon. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

function pageResponse(status: number, title: string, content: Markup, headers: HeadersInit): Response {
  const { markup } = html`<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · Waystation</title>
    <link rel="icon" href="${PAGE_ICON}">
    <style>${{ markup: STYLE }}</style>
  </head>
  <body>
    <main id="content">
      ${content}
    </main>
  </body>
</html>
`
  const all = new Headers(headers)
  all.set('content-type', 'text/html; charset=utf-8')
  all.set('content-security-policy', POLICY)
  all.set('cache-control', 'no-store')
  all.set('x-content-type-options', 'nosniff')
  // Not `no-referrer`: the form would post `Origin: null`.
  all.set('referrer-policy', 'same-origin')
  return new Response(`<!doctype html>\n${markup}`, { status, headers: all })
}
