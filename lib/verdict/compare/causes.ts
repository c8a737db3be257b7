import { OVERFLOW_CAUSE } from '../expectations/no-loss'
import { MISSING } from './count-evidence'
import { ALL, type Counts, type Fact, factOf, keyOf, type Profile, type Range, type Section } from './profile'

/** A likely cause, as a clause or a question; `null` where none is likelier than others. */
export type Cause = string | null

interface CauseContext {
  readonly counts: Counts
  /** `null` for something new. */
  readonly profile: Profile | null
  /** The whole section, or the whole service, disappeared. */
  readonly isWhole: boolean
}

/** The names of a section of a service that were seen. Without a section: all its names. */
export const seenIn = (counts: ReadonlyMap<string, unknown>, group: string, section?: Section): readonly string[] =>
  [...counts.keys()].flatMap((key) => {
    const fact = factOf(key)
    return fact.group === group && (section === undefined || fact.section === section) ? [fact.name] : []
  })

/** The likely cause of something that disappeared or is new. */
export function causeOf(fact: Fact, context: CauseContext): Cause {
  const { group, section, name } = fact
  const isNew = context.profile === null
  switch (section) {
    case 'environments':
      return environmentCause(fact, context)
    case 'releases':
      return name === MISSING || missingNow(fact, context, 'releases')
        ? 'release missing: set release in Sentry.init, or SENTRY_RELEASE when you build and start the program'
        : null
    case 'intake':
      return intakeCause(fact, context)
    case 'sampling':
      return samplingCause(fact, context)
    case 'personalData':
      return isNew ? 'is setUser used, or dataCollection.userInfo on (sendDefaultPii before SDK 11)?' : null
    case 'routes':
    case 'operations':
      return context.isWhole ? noSpansCause(group, context) : null
    case 'errors':
      return errorsCause(fact, context)
    case 'breadcrumbs':
      return breadcrumbsCause(fact, context)
    case 'longest':
      return null
    case 'propagation':
      return isNew ? null : propagationCause(name)
    case 'items':
      return context.isWhole ? noServiceCause(group) : null
    case 'discards':
      return isNew ? discardCause(name) : null
  }
}

const missingNow = ({ group }: Fact, { counts }: CauseContext, section: Section): boolean =>
  seenIn(counts, group, section).includes(MISSING)

function environmentCause({ group, name }: Fact, { counts, profile }: CauseContext): Cause {
  if (profile === null) return name === MISSING ? 'environment missing: set it in Sentry.init' : null
  const now = seenIn(counts, group, 'environments').filter((one) => one !== name)
  if (now.length === 0) return null
  const filledIn = now.includes('production') ? '; SDK 11 fills in production when none is set' : ''
  return `environment ${now.join(', ')} instead of ${name}${filledIn}`
}

function intakeCause({ group, name }: Fact, { counts, profile }: CauseContext): Cause {
  const now = seenIn(counts, group, 'intake')
  if (profile !== null && name === 'tunnel' && now.includes('envelope'))
    return 'tunnel no longer used: the DSN posts straight to the collector; is the option tunnel set?'
  return profile === null && name === 'envelope' && !now.includes('tunnel')
    ? 'the DSN posts straight to the collector'
    : null
}

function samplingCause({ group }: Fact, { counts, profile }: CauseContext): Cause {
  if (profile === null) return `is tracesSampleRate or tracesSampler of the ${group} changed?`
  const now = seenIn(counts, group, 'sampling')
  return now.length === 0 ? null : `${group} sampling ${now.join(', ')}`
}

/** Discards that client reports name, such as `sample_rate span`. */
const discardsOf = (counts: Counts, categories: readonly string[]): readonly string[] =>
  seenIn(counts, ALL, 'discards').filter((name) => categories.includes(name.split(' ').at(-1) ?? ''))

const noSpansCause = (group: string, { counts }: CauseContext): Cause =>
  `${group === 'browser' ? 'no browser pageloads any more: ' : ''}${spansQuestion(group, counts)}`

/** The likely cause of missing spans of a service. */
export function spansQuestion(group: string, counts: Counts): string {
  const discards = discardsOf(counts, ['span', 'transaction'])
  const why = discards.length === 0 ? '' : ` (the SDK reports discards: ${discards.join(', ')})`
  return group === 'browser'
    ? `is browserTracingIntegration enabled, and tracesSampleRate above 0?${why}`
    : `is tracesSampleRate of the ${group} above 0?${why}`
}

/** The likely cause if a service sends nothing. */
export function noServiceCause(group: string): string {
  if (group === 'browser')
    return 'is the browser SDK enabled, Sentry.init called in instrumentation-client.ts, and its tunnel path right?'
  return `is Sentry.init called in the ${group} (instrumentation.ts), with SENTRY_DSN?`
}

function errorsCause({ group, name }: Fact, { counts, profile, isWhole }: CauseContext): Cause {
  if (profile === null) return null
  const captured = isWhole ? seenIn(profile.ranges, group, 'errors') : [name]
  const discarded = errorDiscardsCause(counts)
  if (discarded !== null) return discarded
  if (group === 'browser') return 'do beforeSend, ignoreErrors or sampleRate discard them, or did no test cause one?'
  return captured.some((one) => one.includes('request_error'))
    ? 'is onRequestError exported from instrumentation.ts, or does beforeSend discard them?'
    : 'does beforeSend discard them, or did no test cause one?'
}

/** The likely cause of missing errors, by client reports. */
export function errorDiscardsCause(counts: Counts): Cause {
  const discards = discardsOf(counts, ['error', 'default'])
  if (discards.some((one) => one.startsWith('before_send ')))
    return 'the SDK reports before_send: does beforeSend return null?'
  if (discards.some((one) => /^(?:event_processor|ignored) /.test(one)))
    return `the SDK reports ${discards.join(', ')}: does ignoreErrors match everything?`
  return discards.some((one) => one.startsWith('sample_rate '))
    ? 'the SDK reports sample_rate: is sampleRate, the rate of errors, below 1?'
    : null
}

function breadcrumbsCause({ group, name }: Fact, { counts, isWhole, profile }: CauseContext): Cause {
  if (profile === null) return null
  if (isWhole)
    return 'events have no breadcrumbs any more: is maxBreadcrumbs 0, or the breadcrumbs integration removed?'
  const longest = keyOf({ group, section: 'longest', name: 'breadcrumbs' })
  const [now, before] = [counts.get(longest) ?? 0, profile.ranges.get(longest)]
  // An option that is off removes its category and leaves the others as they were.
  const hasFewerOfAnother = seenIn(counts, group, 'breadcrumbs').some((other) => {
    const key = keyOf({ group, section: 'breadcrumbs', name: other })
    return (counts.get(key) ?? 0) < (profile.ranges.get(key)?.least ?? 0)
  })
  return before !== undefined && isShorter(now, before) && hasFewerOfAnother
    ? shorterText(now, before)
    : `no breadcrumbs of category ${name}: is that option of the breadcrumbs integration off, or the integration removed?`
}

/** Is it at most three quarters of the shortest learned length, of which `least` is the half? */
export const isShorter = (length: number, { least }: Range): boolean => least > 1 && 2 * length <= 3 * least

/** For the longest list of breadcrumbs, of which the learned length is half of `most`. */
export const shorterText = (length: number, { most }: Range): string =>
  `errors have at most ${length} breadcrumbs, ${most / 2} before: is maxBreadcrumbs lower?`

/** The likely cause of a trace that no longer continues. @param name such as `browser > server` */
export function propagationCause(name: string): Cause {
  const [from = '', to = ''] = name.split(' > ')
  return from === 'browser'
    ? `trace headers no longer reach the ${to}: does tracePropagationTargets contain its address?`
    : `the ${to} no longer continues traces of the ${from}: are its trace meta tags or headers sent?`
}

function discardCause(name: string): Cause {
  const [reason] = name.split(' ')
  if (reason === 'before_send') return 'does beforeSend return null?'
  if (reason === 'sample_rate') return 'is a sample rate below 1?'
  if (reason === 'queue_overflow') return OVERFLOW_CAUSE
  if (reason === 'event_processor' || reason === 'ignored')
    return 'does ignoreErrors or an event processor discard them?'
  return null
}
