import { plural } from '../../lib/format'
import { PLACEHOLDERS } from '../../lib/grouping/parameterise'
import type { ErrorGroup, GroupingReason } from '../../lib/wire/error-groups'
import type { GroupFrame } from '../../lib/wire/mapped-frames'
import { functionName, positionText } from './stack-display'

const PLACEHOLDER = new RegExp(`(${PLACEHOLDERS.join('|')})`)

interface TextPart {
  readonly text: string
  /** Stands for a part that differs from event to event, such as `<int>`. */
  readonly isValue: boolean
}

/** A message with replaced parameters, split at them. */
export const patternParts = (pattern: string): readonly TextPart[] =>
  pattern.split(PLACEHOLDER).flatMap((text, at) => (text === '' ? [] : [{ text, isValue: at % 2 === 1 }]))

/** The message of a title without the type before it; the whole title when it has none. */
export const messageOf = ({ title, type }: Pick<ErrorGroup, 'title' | 'type'>): string =>
  type === null ? title : title === type ? '' : title.startsWith(`${type}: `) ? title.slice(type.length + 2) : title

/** A regular expression with more characters matches no better. */
const MOST_LITERAL = 160

/** A regular expression, as source text, that matches the title of each event with this pattern. */
export function titleMatcher(pattern: string): string {
  const escaped = patternParts(pattern.slice(0, MOST_LITERAL)).map(({ text, isValue }) =>
    isValue ? '.+' : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/[\r\n\u2028\u2029]+/g, '\\s+'),
  )
  return `/${escaped.join('')}/`
}

/** Whether the events of a group were handled. A group may have both, and events that do not say. */
export function handledText({ handled, unhandled }: Pick<ErrorGroup, 'handled' | 'unhandled'>): string | null {
  if (unhandled > 0) return handled > 0 ? `${plural(unhandled, 'event')} unhandled` : 'unhandled'
  return handled > 0 ? 'handled' : null
}

export interface Contribution {
  readonly counts: boolean
  readonly text: string
  readonly hint: string | null
}

const KINDS = {
  checksum: 'checksum',
  fingerprint: 'fingerprint',
  type: 'type',
  value: 'message',
  frame: 'frame',
  message: 'message',
} as const

/** The parts that made these events one group, then the ignored ones. Ignored parts with the same reason are one line. */
export function contributionsOf(why: GroupingReason): readonly Contribution[] {
  const parts = why.variants.find(({ variant }) => variant === why.variant)?.parts ?? []
  const counted = parts
    .filter(({ counts }) => counts)
    .map(({ kind, text, exception, hint }) => ({
      counts: true,
      text: `Same ${KINDS[kind]}${exception !== null && exception > 0 ? ' of the cause' : ''}: ${text}`,
      hint,
    }))
  const ignored = new Map<string, Contribution & { readonly times: number }>()
  for (const { kind, text, hint, counts } of parts) {
    if (counts) continue
    const key = JSON.stringify([kind, hint])
    const times = (ignored.get(key)?.times ?? 0) + 1
    const shown = times === 1 ? `1 ${KINDS[kind]}, ${text}` : plural(times, KINDS[kind])
    ignored.set(key, { counts: false, text: shown, hint, times })
  }
  return [...counted, ...[...ignored.values()].map(({ times: _, ...one }) => one)]
}

/** `pay cart.ts:12`, and why it is not certain. */
export function topFrameText({ function: name, file, note, ...at }: Omit<GroupFrame, 'count' | 'eventId'>): string {
  const where = file === null && name === null ? [] : [functionName(name), positionText({ filename: file, ...at })]
  return [where.join(' '), note].filter((part) => part !== null && part !== '').join(', ')
}

const VARIANTS: Readonly<Record<GroupingReason['variant'], string>> = {
  checksum: 'The SDK sent a checksum, which decides alone.',
  fingerprint: 'The SDK sent a fingerprint, which decides alone.',
  built_in: 'A built-in rule for errors of this kind decides.',
  app: 'The frames of the app decide.',
  system: 'No frame of the app counts, so all frames decide.',
  exception: 'No frame counts, so type and message decide.',
  message: 'There is no exception, so the message decides.',
  none: 'Nothing of these events can be compared.',
}

export const variantText = ({ variant }: Pick<GroupingReason, 'variant'>): string => VARIANTS[variant]

/** The place of an event among those of its group, by time: 1 is the oldest. `null` beyond the listed ones. */
export function numberOf(events: readonly { readonly eventId: string }[], count: number, eventId: string) {
  const at = events.findIndex((event) => event.eventId === eventId)
  return at === -1 ? null : count - at
}
