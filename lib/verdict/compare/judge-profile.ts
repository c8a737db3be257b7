import type { Judged } from '../expectations/report'
import { withoutSecrets } from '../text'
import { type Finding, finding, type Verdict, verdictOf } from '../verdict'
import { type Cause, causeOf, isShorter, seenIn, shorterText } from './causes'
import { ALL, type Counts, type Fact, factOf, type Profile, rangeText, type Section } from './profile'

/** How this run relates to the profile. `previous`: the profile is the last green run, which nobody reviewed. */
export type Relation = 'same command' | 'other command' | 'previous'

/** Facts that must not appear unnoticed: they fail like something that disappeared. */
const DISCARDED_BY_CHOICE = /^(?:before_send|sample_rate) |^(?:event_processor|ignored) error$/
/** A setting of a service has few values; another value replaces the learned one. */
const SETTINGS: ReadonlySet<Section> = new Set(['environments', 'releases', 'sampling', 'intake'])
/** Counted in ranges; other sections are judged by presence alone. */
const RANGED: ReadonlySet<Section> = new Set(['routes', 'operations', 'errors', 'breadcrumbs', 'items', 'propagation'])
/** Categories that other sections judge with more detail. */
const JUDGED_ELSEWHERE: ReadonlySet<string> = new Set(['error', 'transaction', 'span'])

interface Comparison {
  readonly lost: readonly Finding[]
  /** Out of range, or new. */
  readonly changed: readonly Finding[]
}

/**
 * Compares a run with a profile. Pure.
 * - `lost`: the profile requires it, and the run lacks it; or it is new and must be a decision: an environment that is
 *   misspelt, a sampling rate, personal data, discards by choice.
 * - `changed`: counts outside of half and double, and everything else that is new.
 * @param isCut the program failed, so tests that stopped early sent less: only more and new things count
 */
export function compareWithProfile(counts: Counts, profile: Profile, isCut = false): Comparison {
  const lost: Finding[] = []
  const changed: Finding[] = []
  const missing = isCut ? [] : missingParts(counts, profile)
  for (const { group, sections } of missing) lost.push(lostPart(group, sections, counts, profile))
  const isExplained = ({ group, section, name }: Fact): boolean =>
    missing.some(({ group: of, sections }) =>
      of === group
        ? sections === null || sections.includes(section)
        : (sections === null || sections.includes('routes')) && isPairWith(of, section, name),
    )
  const replaced = new Set<string>()
  for (const [key, range] of profile.ranges) {
    const fact = factOf(key)
    const count = counts.get(key) ?? 0
    if (fact.section === 'longest') {
      if (count > 0 && !isCut && isShorter(count, range))
        changed.push(finding(labelOf(fact), shorterText(count, range), `about ${range.most / 2}`))
      continue
    }
    if ((count >= range.least || isCut) && count <= range.most) continue
    if (count > 0) {
      if (RANGED.has(fact.section)) changed.push(outOfRange(fact, count, rangeText(range)))
    } else if (isRequired(fact) && !isExplained(fact)) {
      lost.push(lostFact(fact, counts, profile))
      replaced.add(`${fact.group} ${fact.section}`)
    }
  }
  for (const [key, count] of counts) {
    if (profile.ranges.has(key)) continue
    const fact = factOf(key)
    // The finding about the lost value names the new one.
    if (fact.section === 'longest' || (SETTINGS.has(fact.section) && replaced.has(`${fact.group} ${fact.section}`)))
      continue
    const list = mustBeDecided(fact) ? lost : changed
    list.push(newFact(fact, count, counts))
  }
  return { lost, changed }
}

interface MissingPart {
  readonly group: string
  /** `null`: the whole service. */
  readonly sections: readonly Section[] | null
}

/** Services of which nothing arrived, or no spans, no errors, no breadcrumbs: one finding instead of one per name. */
function missingParts(counts: Counts, profile: Profile): readonly MissingPart[] {
  const groups = new Set([...profile.ranges.keys()].map((key) => factOf(key).group))
  groups.delete(ALL)
  return [...groups].flatMap((group): readonly MissingPart[] => {
    const required = (section?: Section): boolean =>
      [...profile.ranges].some(([key, { least }]) => {
        const fact = factOf(key)
        return least > 0 && fact.group === group && (section === undefined || fact.section === section)
      })
    const seen = (section?: Section): boolean => seenIn(counts, group, section).length > 0
    if (!seen()) return required() ? [{ group, sections: null }] : []
    const lacks = (section: Section): boolean => required(section) && !seen(section)
    return [
      ...(lacks('routes') ? [{ group, sections: ['routes', 'operations', 'sampling'] as const }] : []),
      ...(lacks('errors') ? [{ group, sections: ['errors', 'breadcrumbs'] as const }] : []),
      ...(lacks('breadcrumbs') && !lacks('errors') ? [{ group, sections: ['breadcrumbs'] as const }] : []),
    ]
  })
}

/** A service without spans has no propagation either. */
const isPairWith = (group: string, section: Section, name: string): boolean =>
  section === 'propagation' && name.split(' > ').includes(group)

/** Fewer discards, and less personal data, are no loss. */
const isRequired = ({ section, name }: Fact): boolean =>
  section !== 'discards' && section !== 'personalData' && !(section === 'items' && JUDGED_ELSEWHERE.has(name))

const mustBeDecided = ({ section, name }: Fact): boolean =>
  SETTINGS.has(section) || section === 'personalData' || (section === 'discards' && DISCARDED_BY_CHOICE.test(name))

const NOUNS: Readonly<Record<Section, string>> = {
  environments: 'environment',
  releases: 'release',
  intake: 'intake endpoint',
  sampling: 'sample rate',
  personalData: 'personal data',
  routes: 'route',
  operations: 'operation',
  errors: 'errors captured by',
  breadcrumbs: 'breadcrumbs of category',
  longest: 'longest list of',
  items: 'items of category',
  propagation: 'trace from',
  discards: 'discards for',
}

const labelOf = ({ group, section, name }: Fact): string =>
  withoutSecrets(`${group === ALL ? '' : `${group}: `}${NOUNS[section]} ${name}`)

const withCause = (actual: string, cause: Cause): string => (cause === null ? actual : `${actual}: ${cause}`)

function lostPart(group: string, sections: MissingPart['sections'], counts: Counts, profile: Profile): Finding {
  const [section] = sections ?? []
  const what = section === undefined ? 'telemetry' : section === 'routes' ? 'spans' : section
  const fact: Fact = { group, section: section ?? 'items', name: '' }
  const cause = causeOf(fact, { counts, profile, isWhole: true })
  return finding(`${group}: ${what}`, withCause('nothing arrived any more', cause), learned(profile))
}

function lostFact(fact: Fact, counts: Counts, profile: Profile): Finding {
  const cause = causeOf(fact, { counts, profile, isWhole: false })
  return finding(labelOf(fact), withCause('disappeared', cause), learned(profile))
}

const learned = ({ runs }: Profile): string =>
  `at least one, as in ${runs === 1 ? 'the green run' : `${runs} green runs`}`

const outOfRange = (fact: Fact, count: number, range: string): Finding => finding(labelOf(fact), String(count), range)

function newFact(fact: Fact, count: number, counts: Counts): Finding {
  const cause = causeOf(fact, { counts, profile: null, isWhole: false })
  return finding(labelOf(fact), withCause(`${count}, which is new`, cause), 'none, as in the green runs')
}

/**
 * The checks of a run against its profile, for a report.
 * @param relation see `Relation`
 * @param program how the program failed, as a sentence without a full stop; `null` if it succeeded
 */
export function judgeProfile(
  counts: Counts,
  profile: Profile,
  relation: Relation,
  program: string | null = null,
): readonly Judged[] {
  // Without any telemetry the report is incomplete, and says so.
  const { lost, changed } =
    counts.size === 0 ? { lost: [], changed: [] } : compareWithProfile(counts, profile, program !== null)
  const nothing = 'Nothing was recorded that could be compared.'
  const disappeared: Verdict =
    program === null || lost.length > 0
      ? verdictOf(counts.size, lost, nothing)
      : { verdict: 'incomplete', why: `${program}, so it may have sent less, and what disappeared is not judged.` }
  if (relation === 'previous')
    return [
      {
        id: 'last-green-run',
        title: 'Nothing disappeared since the last green run of this command',
        group: 'profile',
        severity: 'warning',
        why: 'Missing telemetry looks like a healthy program.',
        fix: 'Until it is back, later runs are compared with that green run, too. If it is intended, accept it with waystation run --learn, which writes waystation.profile.json.',
        verdict: disappeared,
      },
    ]
  const fix = 'If that is intended, delete waystation.profile.json, and learn it again with waystation run --learn.'
  return [
    {
      id: 'profile',
      title: 'Nothing disappeared that waystation.profile.json contains',
      group: 'profile',
      severity: relation === 'same command' ? 'error' : 'warning',
      why: 'Missing telemetry looks like a healthy program.',
      fix:
        relation === 'same command'
          ? fix
          : `The profile is of another command (${withoutSecrets(profile.command)}), so this is only a warning.`,
      verdict: disappeared,
    },
    {
      id: 'profile-changes',
      title: 'Nothing is new or differs in number from waystation.profile.json',
      group: 'profile',
      severity: 'warning',
      why: 'Twice the telemetry costs twice as much, and half of it may be lost.',
      fix: 'If that is intended, add it with waystation run --learn.',
      verdict: verdictOf(counts.size, changed, nothing),
    },
  ]
}
