import { takes } from '../../lib/protocol/upstream-answer'
import type { Limit } from '../../lib/wire/limits'
import type { Status, UpstreamState } from '../../lib/wire/overview'
import type { Storage } from '../../lib/wire/storage'
import { printable } from './printable'
import { formatClock, formatLeft } from './times'
import { deadLetterText, pausedText, probeText, retryText, strandedText, unansweredText } from './upstream-text'

export type LineKind = 'room' | 'paused' | 'backing_off' | 'dead_letters' | 'stranded' | 'limited' | 'script'

/** One thing that is not as always, in one calm line. */
export interface StatusLine {
  readonly id: string
  readonly kind: LineKind
  readonly tone: 'bad' | 'warn' | 'quiet'
  readonly word: string
  readonly says: string
  /** What counts down, for the eye; and the same standing still, for who is read to. */
  readonly clock: { readonly running: string; readonly still: string } | null
  readonly link: { readonly href: string; readonly name: string }
}

const DELIVERIES = { href: '/deliveries', name: 'Deliveries' }

/** What every page has to say, the worst first; nothing when all is well. */
export function statusLines(status: Status, nowMs: number): readonly StatusLine[] {
  const { upstreams, stranded, script } = status
  const paused = upstreams.filter(({ state }) => state === 'paused')
  const silent = upstreams.filter(({ state }) => state === 'backing_off')
  return [
    ...roomLines(status.storage),
    ...paused.map((upstream) => pausedLine(upstream, nowMs)),
    ...silent.map((upstream) => silentLine(upstream, nowMs)),
    ...deadLetterLines(upstreams),
    ...stranded.map(strandedLine),
    ...limitedLines(status, nowMs),
    ...scriptLines(script),
  ]
}

function roomLines(room: Status['storage']): readonly StatusLine[] {
  const alarm = diskSpaceAlarm(room)
  if (alarm === null || alarm.tone === 'good') return []
  return [
    {
      id: 'room',
      kind: 'room',
      tone: alarm.tone,
      word: capital(alarm.word),
      says: [printable(alarm.means), alarm.remedy].filter((part) => part !== null).join(' '),
      clock: null,
      link: { href: '/storage', name: 'Storage' },
    },
  ]
}

const pausedLine = (upstream: UpstreamState, nowMs: number): StatusLine => ({
  id: `paused ${upstream.label}`,
  kind: 'paused',
  tone: 'bad',
  word: `Paused: ${printable(upstream.label)}`,
  says: pausedText(upstream),
  clock: { running: probeText(upstream.retryAt, nowMs), still: 'It is probed once a minute.' },
  link: DELIVERIES,
})

const silentLine = (upstream: UpstreamState, nowMs: number): StatusLine => ({
  id: `backing off ${upstream.label}`,
  kind: 'backing_off',
  tone: 'warn',
  word: `Backing off: ${printable(upstream.label)}`,
  says: unansweredText(upstream),
  clock: { running: retryText(upstream.retryAt, nowMs), still: 'It is tried again by itself.' },
  link: DELIVERIES,
})

function deadLetterLines(upstreams: readonly UpstreamState[]): readonly StatusLine[] {
  const count = upstreams.reduce((sum, { deadLetters }) => sum + deadLetters, 0)
  if (count === 0) return []
  return [
    {
      id: 'dead letters',
      kind: 'dead_letters',
      tone: 'warn',
      word: count === 1 ? 'Dead letter' : 'Dead letters',
      says: deadLetterText(count),
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
  says: strandedText(stranded),
  clock: null,
  link: { href: '/storage', name: 'Storage' },
})

/** A line for each upstream that limits something. */
function limitedLines(status: Status, nowMs: number): readonly StatusLine[] {
  const running = status.limits.filter(({ until }) => until > nowMs).sort((a, b) => b.until - a.until)
  const limiting = new Set(running.map(({ upstream }) => upstream))
  const isOneOfSeveral = new Set([...limiting, ...status.upstreams.map(({ label }) => label)]).size > 1
  return [...limiting].flatMap((label) => {
    const own = running.filter(({ upstream }) => upstream === label)
    const [last] = own
    if (last === undefined) return []
    return {
      id: `limited ${label}`,
      kind: 'limited',
      tone: 'warn',
      word: isOneOfSeveral ? `Limited: ${printable(label)}` : 'Limited',
      says: limitedText(own, status.holdErrors),
      clock: {
        running: `${formatLeft(last.until, nowMs) ?? '0 s'} left.`,
        still: `Until ${formatClock(last.until).slice(0, 8)}.`,
      },
      link: { href: '/limits', name: 'Limits' },
    }
  })
}

function limitedText(limits: readonly Limit[], holdErrors: boolean): string {
  const names = [...new Set(limits.map(({ category }) => category))]
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names
  const nothing = names.includes('all')
  const what = nothing ? 'nothing' : `no ${listed(shown.map((name) => printable(name)))}`
  const begins = `Upstream takes ${what} just now:`
  const isHeld = holdErrors && limits.some(({ category }) => takes(category, 'error'))
  if (!isHeld) return `${begins} what comes is cut before it is posted.`
  const isErrorsAlone = !nothing && limits.every(({ category }) => takes(category, 'error'))
  return `${begins} errors wait until it does${isErrorsAlone ? '' : ', what else comes is cut before it is posted'}.`
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
          says: `The stand-in plays: ${printable(script)}.`,
          clock: null,
          link: { href: '/stand-in', name: 'Stand-in' },
        },
      ]

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export interface DiskSpaceText {
  readonly word: string
  readonly tone: 'good' | 'warn' | 'bad'
  /** What it means for what arrives now. */
  readonly means: string
  /** What a person can do about it; `null` where nothing is to be done. */
  readonly remedy: string | null
}

const STATES: Readonly<Record<Storage['state'], DiskSpaceText>> = {
  room: {
    word: 'room',
    tone: 'good',
    means: 'There is room. When it runs out, the oldest records that owe nothing go first.',
    remedy: null,
  },
  evicting: {
    word: 'making room',
    tone: 'good',
    means: 'The oldest records that owe nothing are making room, with their rows. What upstream is pending stays.',
    remedy: null,
  },
  overflow: {
    word: 'overflow',
    tone: 'warn',
    means:
      'The backlog has its three quarters of the cap: what arrives is stored and shown, but upstream never gets it.',
    remedy: 'Make the upstream reachable, or raise WAYSTATION_MAX_DISK.',
  },
  full: {
    word: 'full',
    tone: 'bad',
    means: 'Nothing can be evicted: what arrives is refused with 429 until there is room.',
    remedy: 'Make the upstream reachable, raise WAYSTATION_MAX_DISK, or drop what is pending.',
  },
}

/** How much room there is, for a person. */
export const diskSpaceText = (state: Storage['state']): DiskSpaceText => STATES[state]

/** What every page has to say, the worst first; `null` while nothing is lost and nothing is broken. */
export function diskSpaceAlarm({ state, trouble }: Pick<Storage, 'state' | 'trouble'>): DiskSpaceText | null {
  if (state === 'full') return diskSpaceText(state)
  if (trouble !== null) return { word: 'trouble', tone: 'bad', means: asSentence(trouble), remedy: null }
  return state === 'overflow' ? diskSpaceText(state) : null
}

/** Troubles are told as they stand in a list: made a sentence, begun large and ended. */
export const asSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
