/** What people look for besides errors and spans. */
export const SIGNAL_KINDS = [
  'log',
  'metric',
  'session',
  'client_report',
  'attachment',
  'feedback',
  'replay',
  'profile',
  'check_in',
  'security',
] as const
export type SignalKind = (typeof SIGNAL_KINDS)[number]
