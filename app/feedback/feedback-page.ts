import { document } from '../../lib/document/document'
import { type Html, type HtmlValue, html } from '../../lib/document/html'
import { DIAGNOSTICS_PATH, FEEDBACK_PATH } from '../../lib/sdk/paths'
import { PAGE_ICON } from '../../lib/wire/pages'
import { type Draft, MAX_EMAIL, MAX_MESSAGE, type Problem, type ReportLink } from './feedback-fields'
import { FORM, introFor, REPORT } from './feedback-texts'

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
      <p><a class="button" href="/">${FORM.home}</a> <a href="${DIAGNOSTICS_PATH}">${FORM.about}</a></p>`,
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
      ${failure === null ? null : html`<div id="result" class="banner bad" role="alert" tabindex="-1"${focused(focus === 'result')}><strong>${failure.title}</strong> ${failure.text}</div>`}
      ${notes.map(({ text }) => html`<p class="banner">${text}</p>`)}
      <p id="intro">${introFor(draft)}</p>
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

const focused = (is: boolean): HtmlValue => (is ? html` autofocus` : null)

const errorOf = (field: string, texts: readonly string[]): HtmlValue =>
  texts.length === 0 ? null : html`<p class="error" id="${field}-error">${texts.join(' ')}</p>`

const describedBy = (field: string, texts: readonly string[]): Html =>
  texts.length === 0
    ? html` aria-describedby="${field}-hint"`
    : html` aria-invalid="true" aria-describedby="${field}-error ${field}-hint"`

const hidden = (name: string, value: string | null): HtmlValue =>
  value === null ? null : html`<input type="hidden" name="${name}" value="${value}">`

function reportOf(link: ReportLink): HtmlValue {
  const known = (['event', 'digest', 'page'] as const).filter((name) => link[name] !== null)
  if (known.length === 0) return null
  return html`<dl>${known.map((name) => html`<div><dt>${REPORT[name]}</dt><dd><code>${link[name] ?? ''}</code></dd></div>`)}</dl>`
}

const pageResponse = (status: number, title: string, content: Html, headers: HeadersInit): Response =>
  document(`${title} · Waystation`, status, content, { icon: PAGE_ICON, headers })
