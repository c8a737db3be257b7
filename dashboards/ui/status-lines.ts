import { plural } from '../../lib/format'
import { limitAppliesTo } from '../../lib/protocol/rate-limits'
import type { Limit } from '../../lib/wire/limits'
import type { Status, UpstreamState } from '../../lib/wire/overview'
import { reachText } from '../../lib/wire/reach-text'
import { asSentence, capitalise } from '../../lib/wire/status-text'
import type { Storage } from '../../lib/wire/storage'
import { printable } from './printable'
import { formatClock, formatLeft } from './times'
import {
  deadLettersOf,
  deadLetterText,
  limitsInForce,
  pausedText,
  probeText,
  retryText,
  strandedText,
  unansweredText,
} from './upstream-text'

export type LineKind =
  | 'shown'
  | 'disk'
  | 'reach'
  | 'paused'
  | 'backing_off'
  | 'dead_letters'
  | 'stranded'
  | 'limited'
  | 'script'

export interface StatusLine {
  readonly id: string
  readonly kind: LineKind
  readonly tone: 'bad' | 'warn' | 'quiet'
  readonly word: string
  readonly text: string
  /** A countdown, and its text for screen readers, which does not change every second. */
  readonly clock: { readonly running: string; readonly still: string } | null
  readonly link: { readonly href: string; readonly name: string }
}

const DELIVERIES = { href: '/deliveries', name: 'Deliveries' }

/** The lines of the status banner, most severe first; none when all is well. */
export function statusLines(status: Status, nowMs: number): readonly StatusLine[] {
  const { upstreams, stranded, script, shown } = status
  return [
    ...shownLines(shown),
    ...diskSpaceLines(status),
    ...reachLines(status.storage, nowMs),
    ...upstreams.filter(({ state }) => state === 'paused').map((upstream) => pausedLine(upstream, nowMs)),
    ...upstreams.filter(({ state }) => state === 'backing_off').map((upstream) => backingOffLine(upstream, nowMs)),
    ...deadLetterLines(upstreams),
    ...stranded.map(strandedLine),
    ...limitLines(status, nowMs),
    ...scriptLines(script),
  ]
}

function shownLines(shown: Status['shown']): readonly StatusLine[] {
  if (shown === null) return []
  const link = { href: '/', name: 'Run' }
  return [{ id: 'shown', kind: 'shown', tone: 'quiet', word: 'Saved run', text: printable(shown), clock: null, link }]
}

function diskSpaceLines({ storage, store }: Status): readonly StatusLine[] {
  // The problem of a shared record says by itself what is full, and what to do.
  const alarm = diskSpaceAlarm(store === undefined ? storage : { ...storage, state: 'ok' })
  if (alarm === null || alarm.tone === 'good') return []
  return [
    {
      id: 'disk',
      kind: 'disk',
      tone: alarm.tone,
      word: store?.away != null ? 'PostgreSQL is away' : capitalise(alarm.word),
      text: [printable(alarm.meaning), alarm.remedy].filter((part) => part !== null).join(' '),
      clock: null,
      link: { href: '/storage', name: 'Storage' },
    },
  ]
}

function reachLines({ reach }: Status['storage'], nowMs: number): readonly StatusLine[] {
  if (reach === undefined) return []
  const text = asSentence(reachText(reach, nowMs))
  const link = { href: '/storage', name: 'Storage' }
  return [{ id: 'reach', kind: 'reach', tone: 'quiet', word: 'A part', text, clock: null, link }]
}

const pausedLine = (upstream: UpstreamState, nowMs: number): StatusLine => ({
  id: `paused ${upstream.label}`,
  kind: 'paused',
  tone: 'bad',
  word: `Paused: ${printable(upstream.label)}`,
  text: pausedText(upstream),
  clock: { running: probeText(upstream.retryAt, nowMs), still: 'Probed once a minute.' },
  link: DELIVERIES,
})

const backingOffLine = (upstream: UpstreamState, nowMs: number): StatusLine => ({
  id: `backing off ${upstream.label}`,
  kind: 'backing_off',
  tone: 'warn',
  word: `Backing off: ${printable(upstream.label)}`,
  text: unansweredText(upstream),
  clock: { running: retryText(upstream.retryAt, nowMs), still: 'Retried automatically.' },
  link: DELIVERIES,
})

function deadLetterLines(upstreams: readonly UpstreamState[]): readonly StatusLine[] {
  const count = deadLettersOf(upstreams)
  if (count === 0) return []
  return [
    {
      id: 'dead letters',
      kind: 'dead_letters',
      tone: 'warn',
      word: plural(count, 'dead letter'),
      text: deadLetterText(count),
      clock: null,
      link: { href: '/deliveries?show=dead-letters', name: 'Dead letters' },
    },
  ]
}

const strandedLine = (stranded: Status['stranded'][number]): StatusLine => ({
  id: `stranded ${stranded.project} ${stranded.publicKey}`,
  kind: 'stranded',
  tone: 'warn',
  word: 'Stranded',
  text: strandedText(stranded),
  clock: null,
  link: { href: '/storage', name: 'Storage' },
})

function limitLines(status: Status, nowMs: number): readonly StatusLine[] {
  const running = limitsInForce(status.limits, nowMs)
  const limiting = new Set(running.map(({ upstream }) => upstream))
  const isOneOfSeveral = new Set([...limiting, ...status.upstreams.map(({ label }) => label)]).size > 1
  return [...limiting].flatMap((label) => {
    const own = running.filter(({ upstream }) => upstream === label)
    return {
      id: `limited ${label}`,
      kind: 'limited',
      tone: 'warn',
      word: isOneOfSeveral ? `Limited: ${printable(label)}` : 'Limited',
      text: limitedText(own, status.holdErrors),
      clock: {
        running: endsText(own, (until) => formatLeft(until, nowMs) ?? '0 s', 'Left', '% left.'),
        still: endsText(own, (until) => formatClock(until).slice(0, 8), 'Until', 'Until %.'),
      },
      link: { href: '/limits', name: 'Limits' },
    }
  })
}

/** The end of each category's last limit; one for all when they end together. @param limits latest end first */
function endsText(limits: readonly Limit[], timeOf: (until: number) => string, lead: string, one: string): string {
  const ends = new Map<string, string>()
  for (const { category, until } of limits) if (!ends.has(category)) ends.set(category, timeOf(until))
  const [first = '', ...others] = new Set(ends.values())
  if (others.length === 0) return one.replace('%', first)
  const words = [...ends].map(([name, time]) => `${name === 'all' ? 'everything' : printable(name)} ${time}`)
  return `${lead}: ${fewOf(words).join(', ')}.`
}

const fewOf = (words: readonly string[]): readonly string[] =>
  words.length > 4 ? [...words.slice(0, 3), `${words.length - 3} more`] : words

function limitedText(limits: readonly Limit[], holdErrors: boolean): string {
  const names = [...new Set(limits.map(({ category }) => category))]
  const isAll = names.includes('all')
  const shown = isAll ? 'everything' : listed(fewOf(names.map((name) => printable(name))))
  const subject = `Upstream limits ${shown}`
  const isDeferred = holdErrors && limits.some(({ category }) => limitAppliesTo(category, 'error'))
  if (!isDeferred) return `${subject}. Limited items are cut before posting.`
  const isErrorsOnly = !isAll && limits.every(({ category }) => limitAppliesTo(category, 'error'))
  return `${subject}. Errors wait until the limit ends${isErrorsOnly ? '' : '; other limited items are cut before posting'}.`
}

const scriptLines = (script: string | null): readonly StatusLine[] =>
  script === null
    ? []
    : [
        {
          id: 'script',
          kind: 'script',
          tone: 'quiet',
          word: 'Scripted',
          text: `The stand-in plays: ${printable(script)}.`,
          clock: null,
          link: { href: '/stand-in', name: 'Stand-in' },
        },
      ]

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

interface DiskSpaceText {
  readonly word: string
  readonly tone: 'good' | 'warn' | 'bad'
  readonly meaning: string
  /** The action for a person; `null` for none. */
  readonly remedy: string | null
}

const DISK_SPACE: Readonly<Record<Storage['state'], DiskSpaceText>> = {
  ok: {
    word: 'enough space',
    tone: 'good',
    meaning: 'When the disk budget is used up, the oldest settled records are evicted first.',
    remedy: null,
  },
  evicting: {
    word: 'evicting',
    tone: 'good',
    meaning: 'The oldest settled records and their rows are being evicted. Pending envelopes stay.',
    remedy: null,
  },
  backlog_full: {
    word: 'backlog full',
    tone: 'bad',
    meaning: 'Pending envelopes fill three quarters of the disk budget: new ones are refused with 503.',
    remedy: 'Make the upstream reachable, or raise WAYSTATION_MAX_DISK.',
  },
  full: {
    word: 'full',
    tone: 'bad',
    meaning: 'Nothing can be evicted: new envelopes are refused with 503 until there is space.',
    remedy: 'Make the upstream reachable, raise WAYSTATION_MAX_DISK, or drop pending envelopes.',
  },
}

export const diskSpaceText = (state: Storage['state']): DiskSpaceText => DISK_SPACE[state]

/** The disk problem for the status banner; `null` while nothing is lost and nothing is broken. */
export function diskSpaceAlarm({ state, trouble }: Pick<Storage, 'state' | 'trouble'>): DiskSpaceText | null {
  if (state === 'full' || state === 'backlog_full') return diskSpaceText(state)
  if (trouble !== null) return { word: 'trouble', tone: 'bad', meaning: asSentence(trouble), remedy: null }
  return null
}
