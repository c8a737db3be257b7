import { nearest } from '../../lib/config/nearest'
import { SIGNAL_KINDS, type SignalKind } from '../../lib/protocol/items/signal'
import type { SignalCounts } from '../../lib/wire/signal'

interface KindText {
  readonly name: string
  readonly one: string
  readonly noun: string
  readonly heading: string
  /** Heading of the level column; `null` when the kind has no level. */
  readonly level: string | null
  readonly filterHint: string
  /** When an SDK sends one, as a sentence. */
  readonly when: string
  readonly code: string
}

const TEXT: Readonly<Record<SignalKind, KindText>> = {
  log: {
    name: 'Logs',
    one: 'log',
    noun: 'logs',
    heading: 'Message',
    level: 'Level',
    filterHint: 'text of the message, level:error …',
    when: 'A log is one line of your program’s log. SDKs buffer logs for up to five seconds.',
    code: "Sentry.logger.info('order placed', { orderId: 7 })",
  },
  metric: {
    name: 'Metrics',
    one: 'metric',
    noun: 'metrics',
    heading: 'Metric',
    level: null,
    filterHint: 'text of the name, service:server …',
    when: 'A metric is one number: a count, a gauge or a distribution. SDKs buffer metrics for up to five seconds.',
    code: "Sentry.metrics.count('orders', 1, { attributes: { plan: 'free' } })",
  },
  session: {
    name: 'Sessions',
    one: 'session',
    noun: 'sessions',
    heading: 'Session',
    level: 'Status',
    filterHint: 'level:crashed, release:… …',
    when: 'A browser SDK sends a session with each page load; other SDKs per run or request. Updates belong to the same session.',
    code: 'Sentry.startSession(); Sentry.captureSession()',
  },
  client_report: {
    name: 'Client reports',
    one: 'client report',
    noun: 'client reports',
    heading: 'Reason',
    level: null,
    filterHint: 'text of the reason …',
    when: 'An SDK reports how much it discarded, and why: sampling, a filter or a rate limit.',
    code: 'Sentry.init({ dsn, beforeSend: () => null }); Sentry.captureMessage("left out")',
  },
  attachment: {
    name: 'Attachments',
    one: 'attachment',
    noun: 'attachments',
    heading: 'File',
    level: null,
    filterHint: 'text of the file name …',
    when: 'An attachment is a file that belongs to an event.',
    code: "Sentry.getCurrentScope().addAttachment({ filename: 'state.json', data: '{}' })",
  },
  feedback: {
    name: 'Feedback',
    one: 'feedback',
    noun: 'pieces of feedback',
    heading: 'Message',
    level: null,
    filterHint: 'text of the message …',
    when: 'Feedback is a message that a user wrote.',
    code: "Sentry.captureFeedback({ message: 'It hangs at the last step', email: 'me@example.org' })",
  },
  replay: {
    name: 'Replays',
    one: 'replay',
    noun: 'replay segments',
    heading: 'Replay',
    level: null,
    filterHint: 'text of the name, time:>1h …',
    when: 'A browser records a replay of the page in segments of a few seconds.',
    code: 'Sentry.init({ dsn, integrations: [Sentry.replayIntegration()], replaysSessionSampleRate: 1 })',
  },
  profile: {
    name: 'Profiles',
    one: 'profile',
    noun: 'profiles',
    heading: 'Profile',
    level: null,
    filterHint: 'text of the name …',
    when: 'A profile holds stacks that the SDK sampled during a transaction.',
    code: "Sentry.init({ dsn, tracesSampleRate: 1, profileSessionSampleRate: 1, profileLifecycle: 'trace' })",
  },
  check_in: {
    name: 'Check-ins',
    one: 'check-in',
    noun: 'check-ins',
    heading: 'Monitor',
    level: 'Status',
    filterHint: 'text of the monitor, level:error …',
    when: 'A job reports its start and its end. Both are one check-in.',
    code: "Sentry.captureCheckIn({ monitorSlug: 'nightly-import', status: 'ok' })",
  },
  security: {
    name: 'Security reports',
    one: 'security report',
    noun: 'security reports',
    heading: 'Report',
    level: null,
    filterHint: 'text of the report …',
    when: 'A browser reports violations of a page’s policy directly to the collector.',
    code: "Content-Security-Policy-Report-Only: default-src 'self'; report-uri http://127.0.0.1:8969/api/1/security/?sentry_key=local",
  },
}

export const kindText = (kind: SignalKind): KindText => TEXT[kind]

interface KindTab {
  readonly kind: SignalKind
  readonly count: number | null
}

/** All kinds but metrics, which have a board of their own, in their fixed order; kinds that have rows come first. */
export function kindTabs(counts: SignalCounts['counts'] | null): readonly KindTab[] {
  const kinds = SIGNAL_KINDS.filter((kind) => kind !== 'metric')
  const tabs = kinds.map((kind) => ({ kind, count: counts?.[kind] ?? (counts === null ? null : 0) }))
  return [...tabs.filter(({ count }) => count !== 0), ...tabs.filter(({ count }) => count === 0)]
}

/** The kind that an address names; the first kind when it names none; the nearest kind to an unknown name. */
export function shownKind(named: string | null): { readonly kind: SignalKind } | { readonly nearest: SignalKind } {
  if (named === null) return { kind: SIGNAL_KINDS[0] }
  const kind = SIGNAL_KINDS.find((one) => one === named)
  return kind === undefined ? { nearest: nearest(named.slice(0, 40), SIGNAL_KINDS) } : { kind }
}
