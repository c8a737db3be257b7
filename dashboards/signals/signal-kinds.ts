import type { SignalKind } from '../../lib/protocol/items/signal'

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
