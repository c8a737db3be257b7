import { formatBytes, formatCount, formatDurationMs, formatDurationUs, formatSeconds } from '../../lib/format'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { SignalRow } from '../../lib/wire/signal'

export interface SignalColumn {
  readonly head: string
  readonly width: 's' | 'm' | 'l'
  readonly right?: boolean
  /** Is it there on a phone? */
  readonly keeps?: boolean
  /** As received, or formatted; `null` where the signal does not say. */
  readonly text: (signal: SignalRow) => string | null
}

const attributes: SignalColumn = { head: 'Attributes', width: 'l', text: ({ fields }) => attributesText(fields) }
const release: SignalColumn = {
  head: 'Release',
  width: 'm',
  text: ({ release, environment }) => [release, environment].filter((part) => part !== null).join(' · ') || null,
}

const plain = (head: string, field: string, width: SignalColumn['width'] = 'm', keeps = false): SignalColumn => ({
  head,
  width,
  keeps,
  text: ({ fields }) => textField(fields, field),
})

const number = (head: string, field: string, format: (value: number) => string, keeps = false): SignalColumn => ({
  head,
  width: 's',
  right: true,
  keeps,
  text: ({ fields }) => {
    const value = numberField(fields, field)
    return value === null ? null : format(value)
  },
})

const OWN: Readonly<Record<SignalKind, readonly SignalColumn[]>> = {
  log: [attributes],
  metric: [
    plain('Type', 'type', 's'),
    { head: 'Value', width: 'm', right: true, keeps: true, text: ({ fields }) => measured(fields) },
    attributes,
  ],
  session: [
    { head: 'Errors', width: 's', right: true, keeps: true, text: ({ fields }) => sessionErrors(fields) },
    number('Duration', 'duration', formatSeconds, true),
    { ...release, width: 'l' },
  ],
  client_report: [plain('Category', 'category', 'm', true), number('Quantity', 'quantity', formatCount, true)],
  attachment: [plain('Type', 'content_type', 'm'), number('Size', 'bytes', formatBytes, true)],
  feedback: [{ head: 'Contact', width: 'l', keeps: true, text: ({ fields }) => contact(fields) }],
  replay: [
    number('Segment', 'segment', formatCount, true),
    number('Duration', 'durationMs', (ms) => formatDurationMs(ms)),
    plain('Id', 'replayId', 'l'),
    number('Size', 'recordingBytes', formatBytes),
  ],
  profile: [
    plain('Platform', 'platform', 's'),
    number('Duration', 'durationMs', (ms) => formatDurationMs(ms), true),
    number('Samples', 'samples', formatCount),
    number('Size', 'bytes', formatBytes),
  ],
  check_in: [number('Duration', 'duration', (seconds) => formatDurationUs(seconds * 1_000_000), true)],
  security: [plain('Directive', 'directive'), plain('Blocked', 'blocked'), plain('Document', 'document')],
}

/** What only signals of this kind say, beside their time, name, service, trace and status. */
export const ownColumns = (kind: SignalKind): readonly SignalColumn[] => OWN[kind]

function measured(fields: SignalRow['fields']): string | null {
  const value = numberField(fields, 'value') ?? textField(fields, 'value')
  if (value === null) return null
  const unit = textField(fields, 'unit')
  return `${value}${unit === null || unit === 'none' ? '' : ` ${unit}`}`
}

/** A session says how many errors it saw; a count of many sessions says how many of them saw one. */
function sessionErrors(fields: SignalRow['fields']): string | null {
  return textField(fields, 'errors') ?? textField(fields, 'errored')
}

function contact(fields: SignalRow['fields']): string | null {
  const parts = [textField(fields, 'contactName') ?? textField(fields, 'name'), textField(fields, 'contact')]
  return parts.filter((part) => part !== null).join(' ') || null
}

type Fields = SignalRow['fields']

/** A field that is text or a number, as text; `null` when it is absent, empty or anything else. */
export function textField(fields: Fields, name: string): string | null {
  const value = fields[name]
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}

export function numberField(fields: Fields, name: string): number | null {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** What an SDK adds to every log and metric by itself; what the sender said stands apart from it. */
const BY_THE_SDK = /^(?:sentry|server|user|browser|os|device|thread|code|process|app)\./

/** `userId=7 plan=free`: the attributes that the sender gave, in the order given. */
export function attributesText(fields: Fields): string | null {
  const value = fields.attributes
  if (typeof value !== 'object' || value === null) return null
  const own = Object.entries(value).filter(([name]) => !BY_THE_SDK.test(name))
  const said = own.map(([name, one]) => `${name}=${typeof one === 'string' ? one : JSON.stringify(one)}`)
  return said.length === 0 ? null : said.join(' ')
}

/** The fields of a signal, each a line: those it does not have are left out, and attributes stand one by one. */
export function fieldLines(fields: SignalRow['fields']): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    if (value === null || value === undefined) return []
    if (name === 'attributes' && typeof value === 'object' && !Array.isArray(value)) return Object.entries(value)
    return [[name, value]]
  })
}

const BAD: ReadonlySet<string> = new Set(['error', 'fatal', 'critical', 'crashed', 'abnormal', 'missed', 'timeout'])
const WARN: ReadonlySet<string> = new Set(['warn', 'warning', 'errored', 'unhandled'])

/** The colour of a level or status; the word says the same. */
export function levelTone(level: string | null): 'bad' | 'warn' | 'quiet' {
  const word = level?.toLowerCase() ?? ''
  if (BAD.has(word)) return 'bad'
  return WARN.has(word) ? 'warn' : 'quiet'
}
