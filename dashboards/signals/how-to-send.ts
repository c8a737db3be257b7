import type { SignalKind } from '../../lib/protocol/items/signal'

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
