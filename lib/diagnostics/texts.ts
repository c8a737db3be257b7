import { CONSENTS, type Consent } from '../protocol/consent'
import type { Result } from '../protocol/result'
import type { VisitorDeleted } from '../wire/visitor'
import { COUNTED_RECORDS } from '../wire/visitor-limits'

/** Every text of the page, so that a translation needs one file. */
export const TEXTS = {
  title: 'What was sent about me',
  intro:
    'Pages of this app report errors and timings to its makers. This page shows everything that this browser sent, what is waiting, and where it went. Only this browser can see it: a random cookie, which ends with the browser session, connects the records with you.',
  sent: 'What this browser sent',
  nothing:
    'Nothing is recorded about this browser. As soon as a page of this app reports an error or a timing, it appears here. Records of an earlier browser session have another cookie and cannot be shown.',
  deletedAll: 'Everything that was recorded about this browser is deleted.',
  unavailable: 'The records cannot be read at the moment:',
  unavailableAdvice: 'Nothing is lost. Try again in a moment.',
  countsOfNewest: `Counted over the newest ${COUNTED_RECORDS} records.`,
  record: 'Record',
  older: 'Older records',
  newest: 'Newest records',
  previous: 'Previous record (older)',
  next: 'Next record (newer)',
  back: 'All records',
  waiting: 'What is waiting',
  notKnown: 'Not known at the moment.',
  nothingWaits: 'Nothing waits on this server: all records have reached their end.',
  waitsInBrowser:
    'Records that could not be sent wait in this browser, for a week at most, and are sent when a page of this app is opened. Deleting removes them, too.',
  notReadLifeboat: 'The queue of this server cannot be read:',
  removed: 'What was removed before it left',
  removedIntro:
    'Secrets such as passwords and card numbers can be removed before a record is stored, and again before it is passed on. Each record lists what was removed from it, without the values.',
  noneRemoved: 'From the records of this list, nothing was removed before they were stored.',
  where: 'Where it went',
  whereIntro:
    'Records are stored on the server of this app. If its makers use a service for errors, the server passes them on to it. Each record says whether it arrived there.',
  consent: 'What may be sent',
  consentIntro:
    'Your choice holds at once for every open page of this app in this browser, and is remembered for a year. It needs one cookie, which holds nothing but the choice.',
  consentLegend: 'Pages of this app may send',
  consentSave: 'Save',
  consentBlocked:
    'If the choice is not shown after saving, this browser blocks cookies of this app and cannot remember it.',
  couldSend: 'What this page could send',
  couldSendIntro: 'Generated from the settings with which the pages of this app start their reporting.',
  serverRecords: 'What the server records with it',
  actions: 'Take it with you, or delete it',
  download: 'Download everything as one file (JSON)',
  deleteLink: 'Delete everything',
  deleteTitle: 'Delete everything?',
  deleteIntro: 'This deletes every record of this browser on this server. It cannot be undone.',
  deleteButton: 'Delete everything',
  cancel: 'Cancel',
  home: 'Go home',
  mayRemain: 'What may remain',
  remains: [
    'Records that were passed on to another service before: it keeps them by its own rules.',
    'Saved runs and exports that the makers of this app made before.',
    'Bytes in freed pages of the database file and its log, until they are written again.',
    'Counts without content: how many records were received and how each ended.',
  ],
  notDeleted: 'The deletion did not end, so records may still be there:',
  deleteAgain: 'Delete again in a moment: what is deleted already stays so.',
  lifeboatLeft: 'The records are deleted, but files in the queue of this server could not be removed:',
  lateIsDropped: 'Records that this browser sent before now, and that arrive later, are dropped.',
  notFound: 'There is no such record, or it is not one of yours.',
  whole: 'Download this record as it was received',
  items: 'Content',
  steps: 'Steps before this',
  nothingRemoved: 'Nothing was removed from this record.',
  attempts: 'Attempts to pass it on',
  noAttempts: 'It was not passed on to another service.',
  facts: 'What the server recorded with it',
  notText: 'This part is not text. It is in the download of the record.',
  cut: 'This part is long: only its beginning is shown. The download of the record has all of it.',
  storedWithout: 'Removed before it was stored',
  leftOut: 'Left out, because the service limits how much it accepts',
  removedFromPost: 'Found by the rules for secrets before it was passed on',
  yes: 'yes',
  no: 'no',
} as const

/** Each level of consent: its name, and what it means. */
const CONSENT_TEXTS: Readonly<Record<Consent, readonly [name: string, meaning: string]>> = {
  off: [
    'nothing',
    'Pages send nothing. No cookie connects new records with you, so a message that you send with the form is not shown here.',
  ],
  kept: [
    'everything, but only to this server',
    'Errors and timings stay on the server of this app and are never passed on.',
  ],
  errors: [
    'errors only',
    'Errors with the steps before them, without the part of addresses after the question mark. No timings, reports of visits, log lines and measurements.',
  ],
  all: [
    'errors and timings',
    'Everything in the list below. If the makers of this app use a service for errors, it receives them too.',
  ],
}

export const consentChoices = CONSENTS.map((level) => {
  const [name, meaning] = CONSENT_TEXTS[level]
  return { level, name, meaning }
})

/** @param why the visitor chose it, the browser asks for privacy, or neither */
export function consentText(level: Consent, why: 'chosen' | 'signal' | 'default'): string {
  const [name] = CONSENT_TEXTS[level]
  if (why === 'chosen') return `Now: ${name}, because you chose it.`
  if (why === 'signal')
    return `Now: ${name}, because your browser asks for privacy (Global Privacy Control or Do Not Track).`
  return `Now: ${name}, because the makers of this app set it for visitors who have not chosen.`
}

/** Data categories in plain words: one, and several. */
const KINDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  error: ['error', 'errors'],
  transaction: ['timing of a page or action', 'timings of pages or actions'],
  span: ['timing of a step', 'timings of steps'],
  log_item: ['log line', 'log lines'],
  session: ['report of a visit', 'reports of visits'],
  trace_metric: ['measurement', 'measurements'],
  metric_bucket: ['measurement', 'measurements'],
  attachment: ['attached file', 'attached files'],
  feedback: ['message that you wrote', 'messages that you wrote'],
  replay: ['part of a recording of the page', 'parts of recordings of the page'],
  profile: ['measurement of the running code', 'measurements of the running code'],
  profile_chunk_ui: ['measurement of the running code', 'measurements of the running code'],
  security: ['report of a blocked request', 'reports of blocked requests'],
  internal: ['count of what was not sent', 'counts of what was not sent'],
}

/** `2 errors`; unknown categories keep their name. */
export function kindText(category: string, quantity: number): string {
  const known = Object.hasOwn(KINDS, category) ? KINDS[category] : undefined
  const [one, many] = known ?? [`record of the kind ${category}`, `records of the kind ${category}`]
  return `${quantity} ${quantity === 1 ? one : many}`
}

const STATUSES: Readonly<Record<string, string>> = {
  pending: 'waits to be passed on',
  accepted: 'passed on, and it arrived',
  kept: 'stays on this server, and is not passed on',
  filtered: 'not passed on',
  rate_limited: 'not accepted, because the service limits how much it takes',
  invalid: 'refused by the service',
  overflow: 'not passed on, because too much was waiting',
  expired: 'not passed on, because it waited too long',
  dropped: 'not passed on, because a person decided so',
  copy: 'a copy, which is never passed on',
}

export const statusText = ({ name, reason }: { readonly name: string; readonly reason: string | null }): string =>
  name === 'pending' && reason === 'dead_letter'
    ? 'refused by the service; it waits until a person decides'
    : (STATUSES[name] ?? name)

/** Kinds of data in the option `dataCollection` of the SDK. */
const COLLECTED: Readonly<Record<string, string>> = {
  userInfo: 'Your account: name, mail address, IP address',
  cookies: 'Cookies',
  httpHeaders: 'Headers of requests and answers',
  httpBodies: 'Bodies of requests',
  urlQueryParams: 'The part of addresses after the question mark',
  graphQL: 'GraphQL queries',
  genAI: 'Texts to and from language models',
  databaseQueryData: 'Values in database queries',
  queues: 'Messages of queues',
  stackFrameVariables: 'Values of variables in code',
  frameContextLines: 'Lines of code around an error',
}

/** A setting of the SDK, as the name of the data and whether it is sent. */
export function collectedText(name: string, value: unknown): readonly [what: string, sent: string] {
  return [COLLECTED[name] ?? name, valueText(value)]
}

function valueText(value: unknown): string {
  if (value === true) return TEXTS.yes
  if (value === false || (Array.isArray(value) && value.length === 0)) return TEXTS.no
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value)
  if (entries.every(([, one]) => one === false)) return TEXTS.no
  return entries.map(([name, one]) => (name === 'allow' ? valueText(one) : `${name}: ${valueText(one)}`)).join('; ')
}

/** The settings with which pages start their SDK, as far as the page explains them. */
export interface PageOptions {
  readonly environment: string
  readonly release?: string
  /** Share of page loads that are timed, from 0 to 1. */
  readonly tracesSampleRate: number
  readonly maxBreadcrumbs: number
  /** The SDK's option; each kind of data with its rule. */
  readonly dataCollection: object
}

/** The kinds of data that pages with these settings can send. */
export const couldSendTexts = ({
  environment,
  release,
  tracesSampleRate,
  maxBreadcrumbs,
}: PageOptions): readonly string[] => [
  'Errors in the code of a page: message, position in the code, address of the page, browser.',
  `Steps before an error, at most ${maxBreadcrumbs}: clicks with the name of the element, requests with their address, changes of the page, messages of the console.`,
  tracesSampleRate > 0
    ? `Timings of ${tracesSampleRate * 100} % of page loads and page changes, with their requests and with measurements of loading speed. Pages that show records send none.`
    : 'No timings.',
  'Log lines and measurements, if the code of a page writes any.',
  'Reports of visits: when one began, and whether it had errors.',
  'Counts of what was not sent, and why.',
  `With each of them: the environment ${environment}${release === undefined ? '' : `, the version ${release}`}, and a random number per page load.`,
]

export const serverRecordTexts = (recordsAddress: boolean): readonly string[] => [
  'When it arrived, and how long it waited in the queue of this server.',
  'Headers of the request: type and encoding of the content, name and version of the browser and its system, the site of the page.',
  'The random number of the page load, and a hash of the random cookie of this page.',
  recordsAddress ? 'Your IP address, as the proxy of this server names it.' : 'Not your IP address.',
]

export const recordsText = (count: number): string => `${count} ${count === 1 ? 'record' : 'records'}`

export const scrubbedText = (records: number, values: number): string =>
  `From ${records} of the records of this list, ${values} values were removed before they were stored.`

/** @param waiting in the lifeboat */
export const waitingTexts = (pending: number, waiting: Result<number, string>): readonly string[] =>
  [
    pending > 0 && `${pending} of the records above: stored on this server, and not passed on yet.`,
    waiting.ok && waiting.value > 0 && `${waiting.value} in the queue of this server: received, and not recorded yet.`,
    !waiting.ok && `${TEXTS.notReadLifeboat} ${waiting.error}`,
  ].filter((line) => line !== false)

/** @param files removed from the lifeboat */
export const deletedTexts = (done: VisitorDeleted, files: number): readonly string[] =>
  [
    `${recordsText(done.records)} ${done.records === 1 ? 'was' : 'were'} deleted.`,
    done.dropped > 0 && `${done.dropped} of them waited to be passed on, and will not be.`,
    done.awaited > 0 && `${done.awaited} of them were being passed on at that moment: this was awaited first.`,
    done.posted > 0 && `${done.posted} of them had reached another service before, which may keep them.`,
    files > 0 && `${files} more were removed from the queue of this server.`,
  ].filter((line) => line !== false)
