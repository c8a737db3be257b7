import { nearest } from '../../lib/config/nearest'
import { SIGNAL_KINDS, type SignalKind } from '../../lib/protocol/items/signal'
import type { SignalCounts } from '../../lib/wire/signal'

export interface KindWords {
  /** Heading and tab. */
  readonly name: string
  /** Inside a sentence, of one and of many. */
  readonly one: string
  readonly noun: string
  /** Above the column of names. */
  readonly what: string
  /** Above the column of levels; `null` where the kind has none. */
  readonly level: string | null
  readonly filterHint: string
}

const WORDS: Readonly<Record<SignalKind, KindWords>> = {
  log: {
    name: 'Logs',
    one: 'log',
    noun: 'logs',
    what: 'Message',
    level: 'Level',
    filterHint: 'words of the message, level:error …',
  },
  metric: {
    name: 'Metrics',
    one: 'metric',
    noun: 'metrics',
    what: 'Metric',
    level: null,
    filterHint: 'words of the name, env:staging …',
  },
  session: {
    name: 'Sessions',
    one: 'session',
    noun: 'sessions',
    what: 'Session',
    level: 'Status',
    filterHint: 'level:crashed, release:… …',
  },
  client_report: {
    name: 'Client reports',
    one: 'client report',
    noun: 'client reports',
    what: 'Discarded because',
    level: null,
    filterHint: 'words of the reason …',
  },
  attachment: {
    name: 'Attachments',
    one: 'attachment',
    noun: 'attachments',
    what: 'File',
    level: null,
    filterHint: 'words of the file’s name …',
  },
  feedback: {
    name: 'Feedback',
    one: 'feedback',
    noun: 'pieces of feedback',
    what: 'Message',
    level: null,
    filterHint: 'words of the message …',
  },
  replay: {
    name: 'Replays',
    one: 'replay',
    noun: 'replay segments',
    what: 'Replay',
    level: null,
    filterHint: 'words of its name, since:1h …',
  },
  profile: {
    name: 'Profiles',
    one: 'profile',
    noun: 'profiles',
    what: 'Profile',
    level: null,
    filterHint: 'words of its name …',
  },
  check_in: {
    name: 'Check-ins',
    one: 'check-in',
    noun: 'check-ins',
    what: 'Monitor',
    level: 'Status',
    filterHint: 'words of the monitor, level:error …',
  },
  security: {
    name: 'Security reports',
    one: 'security report',
    noun: 'security reports',
    what: 'Report',
    level: null,
    filterHint: 'words of the report …',
  },
}

export const kindWords = (kind: SignalKind): KindWords => WORDS[kind]

export interface HowToSend {
  /** When one is made, as a sentence. */
  readonly when: string
  readonly code: string
}

const HOW: Readonly<Record<SignalKind, HowToSend>> = {
  log: {
    when: 'One line of your program’s log. SDKs collect them for up to five seconds before they send.',
    code: "Sentry.logger.info('order placed', { orderId: 7 })",
  },
  metric: {
    when: 'One number at one moment: a count, a gauge, a distribution. SDKs collect them for up to five seconds.',
    code: "Sentry.metrics.count('orders', 1, { attributes: { plan: 'free' } })",
  },
  session: {
    when: 'A browser SDK sends one with each page load; other SDKs per run or request. Later updates are the same session.',
    code: 'Sentry.startSession(); Sentry.captureSession()',
  },
  client_report: {
    when: 'An SDK tells how much it threw away itself, and why: sampled out, refused by a filter, limited.',
    code: 'Sentry.init({ dsn, beforeSend: () => null }); Sentry.captureMessage("left out")',
  },
  attachment: {
    when: 'A file that goes with an event.',
    code: "Sentry.getCurrentScope().addAttachment({ filename: 'state.json', data: '{}' })",
  },
  feedback: {
    when: 'What a person wrote.',
    code: "Sentry.captureFeedback({ message: 'It hangs at the last step', email: 'me@example.org' })",
  },
  replay: {
    when: 'A browser records what was shown, in segments of a few seconds.',
    code: 'Sentry.init({ dsn, integrations: [Sentry.replayIntegration()], replaysSessionSampleRate: 1 })',
  },
  profile: {
    when: 'Stacks sampled while a transaction ran.',
    code: "Sentry.init({ dsn, tracesSampleRate: 1, profileSessionSampleRate: 1, profileLifecycle: 'trace' })",
  },
  check_in: {
    when: 'A job says that it began and how it ended. Both are one check-in.',
    code: "Sentry.captureCheckIn({ monitorSlug: 'nightly-import', status: 'ok' })",
  },
  security: {
    when: 'A browser reports what a page’s policy forbade, straight to the collector.',
    code: "Content-Security-Policy-Report-Only: default-src 'self'; report-uri http://127.0.0.1:8969/api/1/security/?sentry_key=local",
  },
}

/** How to get the first one of a kind. */
export const howToSend = (kind: SignalKind): HowToSend => HOW[kind]

export interface KindTab {
  readonly kind: SignalKind
  /** `null` until it was read. */
  readonly count: number | null
}

/** Kinds that there are first, in their own order; those of which there is none after them. Unread, the order is the kinds' own. */
export function kindTabs(counts: SignalCounts['counts'] | null): readonly KindTab[] {
  const tabs = SIGNAL_KINDS.map((kind) => ({ kind, count: counts?.[kind] ?? (counts === null ? null : 0) }))
  return [...tabs.filter(({ count }) => count !== 0), ...tabs.filter(({ count }) => count === 0)]
}

/** The kind that an address names, the first of all where it names none; or the nearest to one that there is not. */
export function shownKind(named: string | null): { readonly kind: SignalKind } | { readonly nearest: SignalKind } {
  if (named === null) return { kind: SIGNAL_KINDS[0] }
  const kind = SIGNAL_KINDS.find((one) => one === named)
  return kind === undefined ? { nearest: nearest(named.slice(0, 40), SIGNAL_KINDS) } : { kind }
}
