import type { SignalKind } from '../../../lib/protocol/signal-kind'

export interface KindWords {
  /** Heading and tab. */
  readonly name: string
  /** Inside a sentence, of many. */
  readonly noun: string
  /** Above the column of names. */
  readonly what: string
  /** Above the column of levels; `null` where the kind has none. */
  readonly level: string | null
  readonly filterHint: string
}

const WORDS: Readonly<Record<SignalKind, KindWords>> = {
  log: { name: 'Logs', noun: 'logs', what: 'Message', level: 'Level', filterHint: 'message, level, attribute, id …' },
  metric: { name: 'Metrics', noun: 'metrics', what: 'Metric', level: null, filterHint: 'name, type, attribute …' },
  session: {
    name: 'Sessions',
    noun: 'sessions',
    what: 'Session',
    level: 'Status',
    filterHint: 'status, release, id …',
  },
  client_report: {
    name: 'Client reports',
    noun: 'client reports',
    what: 'Discarded because',
    level: null,
    filterHint: 'reason, category …',
  },
  attachment: { name: 'Attachments', noun: 'attachments', what: 'File', level: null, filterHint: 'file, type, id …' },
  feedback: { name: 'Feedback', noun: 'feedback', what: 'Message', level: null, filterHint: 'message, contact …' },
  replay: { name: 'Replays', noun: 'replay segments', what: 'Replay', level: null, filterHint: 'id, address …' },
  profile: { name: 'Profiles', noun: 'profiles', what: 'Profile', level: null, filterHint: 'name, platform, id …' },
  check_in: { name: 'Check-ins', noun: 'check-ins', what: 'Monitor', level: 'Status', filterHint: 'monitor, status …' },
  security: {
    name: 'Security reports',
    noun: 'security reports',
    what: 'Report',
    level: null,
    filterHint: 'directive, address …',
  },
}

export const kindWords = (kind: SignalKind): KindWords => WORDS[kind]
