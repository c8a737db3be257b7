/** What each rule is called in a configuration: those of the settings in the order of the settings, then the others. */
export const RULE_IDS = [
  'event-buffer',
  'breadcrumbs',
  'span-recorder',
  'rate-limit-back-off',
  'idle-timeout',
  'final-timeout',
  'heartbeat',
  'environment',
  'prefetch-freshness',
  'cache-duration',
  'names',
  'not-found',
  'trace-headers',
  'trace-headers-probe',
  'tunnel',
  'error-fallback',
  'unhandled-errors',
  'privacy',
  'duplicate-ids',
  'oversized',
  'n-plus-one',
  'orphans',
  'missing-release',
  'clock-skew',
] as const

export type RuleId = (typeof RULE_IDS)[number]
