import { formatDurationUs } from '../../lib/format'
import type { EventSummary } from '../../lib/wire/event'
import type { TraceSummary } from '../../lib/wire/trace'
import type { GlyphName, IconName } from '../ui/glyph'
import { spanHref } from '../ui/links'
import { printable } from '../ui/printable'
import type { Entry } from './entries'
import type { Pasted } from './pasted'

export const SCOPES = ['Everything', 'Traces', 'Errors', 'Actions'] as const
export type Scope = (typeof SCOPES)[number]

/** A line of the palette: opens an address or does something. */
export interface PaletteItem {
  readonly id: string
  readonly section: 'Opens' | 'Traces' | 'Errors' | 'Boards' | 'Actions'
  readonly icon: IconName | null
  readonly glyph: GlyphName | null
  readonly name: string
  readonly sub: string
  readonly meta: string
  readonly keys: readonly string[]
  readonly href: string | null
  readonly run: (() => void | Promise<void>) | null
}

const line = (item: Partial<PaletteItem> & Pick<PaletteItem, 'id' | 'section' | 'name'>): PaletteItem => ({
  icon: null,
  glyph: null,
  sub: '',
  meta: '',
  keys: [],
  href: null,
  run: null,
  ...item,
})

export const boardItem = ({ path, name, icon, key }: Entry): PaletteItem =>
  line({ id: `board ${path}`, section: 'Boards', name, icon, href: path, keys: key === null ? [] : ['g', key] })

export const traceItem = ({ traceId, name, op, durationUs }: TraceSummary): PaletteItem =>
  line({
    id: `trace ${traceId}`,
    section: 'Traces',
    icon: 'traces',
    name: printable(name),
    sub: [op, traceId.slice(0, 8)].filter((part) => part !== null).join(' '),
    meta: formatDurationUs(durationUs),
    href: `/traces/${traceId}`,
  })

export const errorItem = ({ eventId, title, transaction }: EventSummary): PaletteItem =>
  line({
    id: `error ${eventId}`,
    section: 'Errors',
    glyph: 'error',
    name: printable(title),
    sub: printable(transaction ?? ''),
    href: `/events/${eventId}`,
  })

export interface Action {
  readonly name: string
  readonly about: string
  readonly glyph: GlyphName
  readonly keys?: readonly string[]
  readonly run: () => void | Promise<void>
}

export const actionItem = ({ name, about, glyph, keys = [], run }: Action): PaletteItem =>
  line({ id: `action ${name}`, section: 'Actions', name, sub: about, glyph, keys, run })

/** The lines for a pasted id, header or DSN; an id may be that of an error or of a trace. */
export function pastedItems(pasted: Pasted): readonly PaletteItem[] {
  const opens = (name: string, href: string, icon: IconName): PaletteItem =>
    line({ id: `opens ${href}`, section: 'Opens', name, icon, href })
  if (pasted.kind === 'trace') {
    const { traceId, spanId } = pasted
    const name = `Trace ${traceId.slice(0, 8)}${spanId === null ? '' : `, span ${spanId.slice(0, 8)}`}`
    return [opens(name, spanHref(traceId, spanId) ?? `/traces/${traceId}`, 'traces')]
  }
  if (pasted.kind === 'envelope')
    return [opens(`Envelope ${pasted.number}`, `/envelopes/${pasted.number}`, 'envelopes')]
  if (pasted.kind === 'dsn')
    return [opens(`Envelopes of project ${pasted.project}`, `/envelopes?project=${pasted.project}`, 'envelopes')]
  const short = pasted.id.slice(0, 8)
  return [
    opens(`Trace ${short}`, `/traces/${pasted.id}`, 'traces'),
    opens(`Error ${short}`, `/events/${pasted.id}`, 'errors'),
  ]
}

const SECTIONS = {
  Everything: ['Opens', 'Traces', 'Errors', 'Boards', 'Actions'],
  Traces: ['Opens', 'Traces'],
  Errors: ['Opens', 'Errors'],
  Actions: ['Actions'],
} as const satisfies Readonly<Record<Scope, readonly PaletteItem['section'][]>>

const MOST_PER_SECTION = 6

/**
 * The lines to show, by section. With words, each word must occur in a line; without, traces and errors are the newest.
 * @param shown lines of an earlier call for the same text, which keep their places when others arrive later
 */
export function matchItems(
  items: readonly PaletteItem[],
  text: string,
  scope: Scope,
  shown: readonly PaletteItem[] = [],
): readonly PaletteItem[] {
  const words = wordsOf(text)
  const isMatch = ({ section, name, sub }: PaletteItem): boolean => {
    const searched = `${name} ${sub}`.toLowerCase()
    return section === 'Opens' || words.every((word) => searched.includes(word))
  }
  const kept = new Set(shown.map(({ id }) => id))
  const matching = [...shown, ...items.filter((item) => !kept.has(item.id) && isMatch(item))]
  return SECTIONS[scope].flatMap((section) =>
    matching
      .filter((item) => item.section === section)
      // On a narrow screen the palette is the only way to some boards.
      .slice(0, section === 'Boards' ? undefined : MOST_PER_SECTION * (scope === 'Everything' ? 1 : 3)),
  )
}

/** Typed `>` lists actions alone. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/^>/, '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

/** The parts of a name, the matched ones marked. */
export function markedParts(name: string, words: readonly string[]): readonly { text: string; isHit: boolean }[] {
  if (words.length === 0) return [{ text: name, isHit: false }]
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return name
    .split(new RegExp(`(${escaped.join('|')})`, 'gi'))
    .filter((text) => text !== '')
    .map((text) => ({ text, isHit: words.includes(text.toLowerCase()) }))
}
