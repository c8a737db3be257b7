import { formatCount } from '../../lib/format'

/** Every text that the feedback page shows. */

export const FORM = {
  title: 'Tell us what you were doing',
  intro:
    'Your message goes to the people who run this app. It is recorded with the page, the time and the name of your browser.',
  introOfReport: 'They can read it next to the report of the error.',
  message: 'What were you doing?',
  messageHint: (most: number) => `Required, at most ${formatCount(most)} characters.`,
  email: 'Your e-mail address',
  emailHint: 'Optional. It is recorded only if you enter it, so that somebody can answer you.',
  send: 'Send',
  home: 'Go home',
  about: 'What was sent about me',
} as const

export const REPORT = { event: 'Report ID', digest: 'Digest', page: 'Page' } as const

interface OfReport {
  readonly event: string | null
  /** Names the report of the server. */
  readonly digest: string | null
}

const hasReport = ({ event, digest }: OfReport): boolean => event !== null || digest !== null

/** @param link of the message */
export const introFor = (link: OfReport): string =>
  hasReport(link) ? `${FORM.intro} ${FORM.introOfReport}` : FORM.intro

/** @param link of the message */
export const stored = (link: OfReport) => ({
  title: 'Thank you. Your message is stored.',
  text: `The people who run this app can read it${hasReport(link) ? ' next to the report of the error' : ''}.`,
})

export const WAITING = {
  title: 'Thank you. Your message is waiting.',
  text: 'The program that records messages does not answer. Your message is saved on the disk of this server and is passed on as soon as that program answers. You need not send it again.',
}

export const NOT_SENT = {
  title: 'Your message was not sent',
  text: 'It could neither be recorded nor saved. Your text is below: try again in a moment.',
}

export const INVALID_TITLE = 'Your message was not sent: please correct it'

export const limited = (seconds: number) => ({
  title: 'Your message was not sent: too many messages',
  text: `This server takes only a few messages a minute. Your text is below: try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
})

/** The form cannot be shown again with its text, because the text was not read. */
export const unread = (detail: string) => ({
  title: 'Your message was not sent',
  text: `${detail}. Go back: your browser still has your text.`,
})

export const FORM_TOO_LARGE = (most: number): string => `The form is larger than ${most / 1024} KiB`
export const NO_FORM = (type: string): string =>
  `The content type ${JSON.stringify(type)} is not that of a form: application/x-www-form-urlencoded`

export const MESSAGE_MISSING = 'Write what you were doing: the text is empty.'
export const messageTooLong = (length: number, most: number): string =>
  `The text has ${formatCount(length)} characters; shorten it to at most ${formatCount(most)}.`
export const emailInvalid = (given: string, most: number): string =>
  `${shown(given)} is not an e-mail address such as me@example.org, with at most ${most} characters. Correct it, or leave it empty.`

const LINKS = {
  event: ['report ID', '32 hexadecimal digits'],
  trace: ['trace ID', '32 hexadecimal digits'],
  digest: ['digest', 'a number'],
  page: ['page', 'a path of this app with at most 2,048 characters'],
} as const

export const linkInvalid = (field: keyof typeof LINKS, given: string): string =>
  `The ${LINKS[field][0]} ${shown(given)} is not ${LINKS[field][1]}. It is left out; your message can be sent without it.`

const SHOWN_LENGTH = 80
const shown = (given: string): string => `“${given.length > SHOWN_LENGTH ? `${given.slice(0, SHOWN_LENGTH)}…` : given}”`
