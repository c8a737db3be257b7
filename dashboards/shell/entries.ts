import { formatCount, plural } from '../../lib/format'
import type { Figures } from '../../lib/wire/figures'
import { categoryWord } from '../ui/category-word'
import type { GlyphName, IconName } from '../ui/glyph'
import { HAS_LAB } from '../ui/standalone'
import { formatAge } from '../ui/times'

/** A figure of the last 15 minutes. One with a tone needs attention; its glyph repeats the meaning. */
export interface Figure {
  readonly text: string
  readonly tone?: 'ok' | 'warn' | 'bad'
  readonly glyph?: GlyphName
  /** For screen readers and as a title. */
  readonly meaning: string
}

/** A board in the navigation. */
export interface Entry {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  /** Pressed after `g`; `null` for a board without a key. */
  readonly key: string | null
  readonly figure: (figures: Figures) => Figure | null
}

interface Group {
  readonly name: string
  readonly entries: readonly Entry[]
}

const none = (): null => null
const LAST = 'in the last 15 minutes'

const count = (value: number, what: string): Figure | null =>
  value === 0 ? null : { text: formatCount(value), meaning: `${formatCount(value)} ${what}` }

function errorFigure({ navigation: { errors, newGroups } }: Figures): Figure | null {
  if (newGroups === 0) return count(errors, `errors ${LAST}`)
  return { text: `${newGroups} new`, tone: 'bad', glyph: 'error', meaning: `${newGroups} new groups of errors` }
}

/** Items lost after intake, in the unit of the status line; without any, the largest loss in an SDK, then refused requests. */
function lossFigure({ navigation: { losses, refused }, line: { lost } }: Figures): Figure | null {
  const figure = (value: number, word: string, what: string): Figure => ({
    ...{ text: `${formatCount(value)} ${word}`, tone: 'warn', glyph: 'lost' },
    meaning: `${what} ${LAST}`,
  })
  if (lost > 0) return figure(lost, 'lost', `${plural(lost, 'envelope item')} lost after intake`)
  const unsent = losses.find(({ by }) => by === 'sdk')
  if (unsent !== undefined)
    return figure(
      unsent.quantity,
      'unsent',
      `${formatCount(unsent.quantity)} ${categoryWord(unsent.category, unsent.quantity)} lost before sending, the largest loss of an SDK,`,
    )
  return refused === 0 ? null : figure(refused, 'refused', `${plural(refused, 'request')} refused on arrival`)
}

function limitFigure({ navigation: { activeLimits } }: Figures): Figure | null {
  if (activeLimits === 0) return null
  return {
    text: `${activeLimits} active`,
    tone: 'warn',
    glyph: 'rate_limited',
    meaning: `${activeLimits} active limits`,
  }
}

const VERDICTS = {
  pass: { text: 'pass', tone: 'ok', glyph: 'accepted' },
  fail: { text: 'fail', tone: 'bad', glyph: 'invalid' },
  incomplete: { text: 'incomplete', tone: 'warn', glyph: 'pending' },
} as const

/** A verdict that is older than the newest telemetry has its age, and no tone. */
function contractFigure({ navigation: { contract }, now }: Figures): Figure | null {
  if (contract === null) return null
  const { text, tone, glyph } = VERDICTS[contract.verdict]
  const shown = contract.verdict === 'fail' ? `${contract.failed} fail` : text
  if (!contract.isStale) return { text: shown, tone, glyph, meaning: `the last verdict: ${shown}` }
  const age = formatAge(contract.at, now)
  const aged = age === 'now' ? `${shown} earlier` : `${shown} ${age} ago`
  return { text: aged, meaning: `the last verdict: ${aged}; telemetry arrived since then` }
}

/** The boards in the order of the navigation. */
export const GROUPS: readonly Group[] = [
  {
    name: 'Look',
    entries: [
      {
        path: '/',
        name: 'Live',
        icon: 'live',
        key: 'l',
        figure: ({ navigation: { envelopes }, now, since }) =>
          envelopes === 0
            ? null
            : {
                text: `${((envelopes * 60_000) / Math.max(60_000, now - since)).toFixed(1)}/min`,
                meaning: `envelopes a minute ${LAST}`,
              },
      },
      {
        path: '/traces',
        name: 'Traces',
        icon: 'traces',
        key: 't',
        figure: ({ navigation: { traces } }) => count(traces, `traces ${LAST}`),
      },
      { path: '/errors', name: 'Errors', icon: 'errors', key: 'e', figure: errorFigure },
      {
        path: '/logs',
        name: 'Logs',
        icon: 'logs',
        key: 'o',
        figure: ({ navigation: { logs } }) => count(logs, `logs ${LAST}`),
      },
      { path: '/vitals', name: 'Metrics', icon: 'metrics', key: 'm', figure: none },
    ],
  },
  {
    name: 'Delivery',
    entries: [
      {
        path: '/envelopes',
        name: 'Envelopes',
        icon: 'envelopes',
        key: 'v',
        figure: ({ navigation: { envelopes } }) => count(envelopes, `envelopes ${LAST}`),
      },
      {
        path: '/deliveries',
        name: 'Deliveries',
        icon: 'deliveries',
        key: 'd',
        figure: ({ navigation: { openDeliveries } }) =>
          openDeliveries === 0
            ? null
            : {
                text: `${formatCount(openDeliveries)} pending`,
                meaning: `${formatCount(openDeliveries)} envelopes are pending, dead letters included`,
              },
      },
      { path: '/losses', name: 'Losses', icon: 'losses', key: 's', figure: lossFigure },
      { path: '/limits', name: 'Limits', icon: 'limits', key: 'i', figure: limitFigure },
      {
        path: '/storage',
        name: 'Storage',
        icon: 'storage',
        key: null,
        figure: ({ navigation: { storageUsed } }) => ({
          text: `${storageUsed < 1 && storageUsed > 0 ? '<1' : Math.round(storageUsed)} %`,
          meaning: 'of the disk budget',
        }),
      },
    ],
  },
  {
    name: 'Check',
    entries: [
      { path: '/contract', name: 'Contract', icon: 'contract', key: 'c', figure: contractFigure },
      {
        path: '/runs',
        name: 'Runs',
        icon: 'runs',
        key: 'r',
        figure: ({ navigation: { runs } }) => count(runs, 'runs are kept'),
      },
    ],
  },
  {
    name: 'Lab',
    entries: [
      ...(HAS_LAB ? [{ path: '/lab', name: 'Lab', icon: 'lab', key: null, figure: none } as const] : []),
      { path: '/stand-in', name: 'Stand-in', icon: 'standIn', key: null, figure: none },
    ],
  },
]

export const ENTRIES: readonly Entry[] = GROUPS.flatMap(({ entries }) => entries)

/** Pages that belong to the board of another path. */
const BELONGS: Readonly<Record<string, string>> = { '/events': '/errors', '/signals': '/logs' }

/** The entry of a page's address; `null` for a page of none. */
export function entryOf(pathname: string): Entry | null {
  const folder = `/${pathname.split('/')[1] ?? ''}`
  const path = BELONGS[folder] ?? folder
  return ENTRIES.find((entry) => entry.path === path) ?? null
}

/** Details of a trace or an error need the width, so the navigation is folded there until the person chooses. */
export const isDetail = (pathname: string): boolean => /^\/(?:traces|errors|events)\/./.test(pathname)
