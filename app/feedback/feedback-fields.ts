import { isLocalPath } from '../../lib/guard/local-path'
import { hex32 } from '../../lib/protocol/ids'
import { emailInvalid, linkInvalid, MESSAGE_MISSING, messageTooLong } from './feedback-texts'

/** In UTF-16 units, as `maxlength` counts them. Sentry stores at most 4096. */
export const MAX_MESSAGE = 4000
export const MAX_EMAIL = 254
const MAX_PAGE = 2048

/** The error report that a message is about; each part is `null` when it is not known. */
export interface ReportLink {
  /** 32 hex digits: the event that the browser sent. */
  readonly event: string | null
  /** 32 hex digits: joins the message to the event of the server, too. */
  readonly trace: string | null
  /** The number that Next shows for an error of the server. */
  readonly digest: string | null
  /** The path of the page that failed. */
  readonly page: string | null
}

export interface Draft extends ReportLink {
  /** With LF as line end. */
  readonly message: string
  /** Empty unless the visitor gave one. */
  readonly email: string
}

export interface Problem {
  readonly field: keyof Draft
  readonly text: string
}

/** Next appends the code of its own errors to the digest. */
const DIGEST = /^\d{1,20}(?:@E\d{1,6})?$/
const matching =
  (isValid: (text: string) => boolean) =>
  (text: string): string | null =>
    isValid(text) ? text : null

const LINKS: Readonly<Record<keyof ReportLink, (text: string) => string | null>> = {
  event: hex32,
  trace: hex32,
  digest: matching((text) => DIGEST.test(text)),
  page: matching((text) => text.length <= MAX_PAGE && isLocalPath(text)),
}

/** Reads the link to a report from an address or a form. An invalid part is left out and is a problem. */
export function readLink(from: URLSearchParams): { readonly link: ReportLink; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const read = (field: keyof ReportLink): string | null => {
    const given = from.get(field) ?? ''
    if (given === '') return null
    const valid = LINKS[field](given)
    if (valid === null) problems.push({ field, text: linkInvalid(field, given) })
    return valid
  }
  return {
    link: { event: read('event'), trace: read('trace'), digest: read('digest'), page: read('page') },
    problems,
  }
}

/** Reads a posted form. The draft has the text as it was written, also when it cannot be sent. */
export function readForm(form: URLSearchParams): { readonly draft: Draft; readonly problems: readonly Problem[] } {
  const { link, problems } = readLink(form)
  // Forms are posted with CRLF, but `maxlength` counts a line end as one character.
  const message = (form.get('message') ?? '').replaceAll('\r\n', '\n')
  const email = (form.get('email') ?? '').trim()
  const own: Problem[] = []
  if (message.trim() === '') own.push({ field: 'message', text: MESSAGE_MISSING })
  if (message.length > MAX_MESSAGE) own.push({ field: 'message', text: messageTooLong(message.length, MAX_MESSAGE) })
  if (email !== '' && !isEmail(email)) own.push({ field: 'email', text: emailInvalid(email, MAX_EMAIL) })
  return { draft: { ...link, message, email }, problems: [...own, ...problems] }
}

/** As lenient as it can be: only the recipient's server knows which addresses exist. */
const isEmail = (text: string): boolean => text.length <= MAX_EMAIL && /^[^\s@]+@[^\s@]+$/.test(text)
