import * as z from 'zod'
import { fail, type Result, succeed } from '../../protocol/result'
import { truncate } from '../text'

/** The parts of a profile. `ALL` has the last three, a service has the others. */
const SECTIONS = [
  'environments',
  'releases',
  'intake',
  'sampling',
  'personalData',
  'routes',
  'operations',
  'errors',
  'breadcrumbs',
  'longest',
  'items',
  'propagation',
  'discards',
] as const
export type Section = (typeof SECTIONS)[number]

/** The group of facts that belong to no single service. */
export const ALL = 'all'

/** How often something was seen, by key: see `keyOf`. In the section `longest`: the length of the longest list. */
export type Counts = ReadonlyMap<string, number>

/** `least` is 0 for something that was missing in one of the learned runs: it is never required. */
export interface Range {
  readonly least: number
  readonly most: number
}

/** Facts that the green runs of one command have in common. */
export interface Profile {
  readonly command: string
  readonly runs: number
  readonly ranges: ReadonlyMap<string, Range>
}

/** Something that was seen, such as a route of the browser. */
export interface Fact {
  /** A service, or `ALL`. */
  readonly group: string
  readonly section: Section
  readonly name: string
}

/** Names contain no tabs: white space is one space in them. */
export const keyOf = ({ group, section, name }: Fact): string => [group, section, name].join('\t')

export function factOf(key: string): Fact {
  const [group = '', section = '', ...name] = key.split('\t')
  const known = SECTIONS.find((one) => one === section)
  if (known === undefined) throw new TypeError(`a profile has no section ${section}`)
  return { group, section: known, name: name.join(' ') }
}

/** The count of one run, widened to half and double. Something that was seen stays required. */
const widened = (count: number): Range => ({ least: Math.max(1, Math.floor(count / 2)), most: 2 * count })

/** Adds a green run. Ranges only grow; a fact that one of the runs lacks is no longer required. */
export function learn(profile: Profile | null, command: string, counts: Counts): Profile {
  if (profile === null)
    return { command, runs: 1, ranges: new Map([...counts].map(([key, count]) => [key, widened(count)])) }
  const keys = new Set([...profile.ranges.keys(), ...counts.keys()])
  const ranges = [...keys].map((key): [string, Range] => {
    const before = profile.ranges.get(key) ?? { least: 0, most: 0 }
    const count = counts.get(key)
    const now = count === undefined ? { least: 0, most: 0 } : widened(count)
    return [key, { least: Math.min(before.least, now.least), most: Math.max(before.most, now.most) }]
  })
  return { command, runs: profile.runs + 1, ranges: new Map(ranges) }
}

/** The version of the file. A newer one is refused, because it may mean something else. */
const VERSION = 1
const RANGE = /^(\d{1,15})-(\d{1,15})$/

const fileSchema = z.strictObject({
  version: z.literal(VERSION),
  command: z.string(),
  runs: z.int().min(1),
  seen: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.string().regex(RANGE)))),
})

/** The text of `waystation.profile.json`: sorted, one name per line, so that a review shows what changed. */
export function profileText({ command, runs, ranges }: Profile): string {
  // Maps, because a sender may call a service `__proto__`.
  const seen = new Map<string, Map<string, Map<string, string>>>()
  const sorted = [...ranges].map(([key, range]) => ({ ...factOf(key), range })).sort(inOrder)
  for (const { group, section, name, range } of sorted) {
    const sections = seen.get(group) ?? new Map<string, Map<string, string>>()
    const names = sections.get(section) ?? new Map<string, string>()
    seen.set(group, sections.set(section, names.set(name, rangeText(range))))
  }
  const written = Object.fromEntries(
    [...seen].map(([group, sections]) => [
      group,
      Object.fromEntries([...sections].map(([section, names]) => [section, Object.fromEntries(names)])),
    ]),
  )
  return `${JSON.stringify({ version: VERSION, command, runs, seen: written }, null, 2)}\n`
}

export const rangeText = ({ least, most }: Range): string => `${least}-${most}`

const inOrder = (one: Fact, other: Fact): number =>
  byText(one.group, other.group) ||
  SECTIONS.indexOf(one.section) - SECTIONS.indexOf(other.section) ||
  byText(one.name, other.name)

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** @returns the profile, or why the text is none: damaged, mistyped, or of a later version */
export function readProfile(text: string): Result<Profile, string> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    return fail(`it is not valid JSON (${cause instanceof Error ? truncate(cause.message) : 'unknown error'})`)
  }
  const version = z.looseObject({ version: z.number() }).safeParse(json)
  if (version.success && version.data.version > VERSION)
    return fail(`it has version ${version.data.version}; this Waystation reads version ${VERSION}: update Waystation`)
  const parsed = fileSchema.safeParse(json)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return fail(`it is not a profile: ${truncate(`${issue?.path.map(String).join('.')}: ${issue?.message}`)}`)
  }
  const { command, runs, seen } = parsed.data
  const ranges = new Map<string, Range>()
  for (const [group, sections] of Object.entries(seen))
    for (const [section, names] of Object.entries(sections)) {
      const known = SECTIONS.find((one) => one === section)
      if (known === undefined)
        return fail(`it is not a profile: seen.${truncate(`${group}.${section}`)} is not a section`)
      for (const [name, range] of Object.entries(names)) {
        const [, least, most] = RANGE.exec(range) ?? []
        ranges.set(keyOf({ group, section: known, name }), { least: Number(least), most: Number(most) })
      }
    }
  return succeed({ command, runs, ranges })
}
