import { formatBytes, formatCount, formatDurationMs, formatDurationUs, formatSeconds } from '../../lib/format'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { SignalRow } from '../../lib/wire/signal'
import { measurementText, typeText } from './measurement-text'

export interface SignalColumn {
  readonly heading: string
  readonly width: 's' | 'm' | 'l' | 'xl'
  readonly right?: boolean
  readonly onPhone?: boolean
  /** As received or formatted; `null` when the signal lacks it. */
  readonly text: (signal: SignalRow) => string | null
}

const attributes: SignalColumn = { heading: 'Attributes', width: 'l', text: ({ fields }) => attributesText(fields) }
const release: SignalColumn = {
  heading: 'Release',
  width: 'm',
  text: ({ release, environment }) => [release, environment].filter((part) => part !== null).join(' · ') || null,
}

const plain = (heading: string, field: string, width: SignalColumn['width'] = 'm', onPhone = false): SignalColumn => ({
  heading,
  width,
  onPhone,
  text: ({ fields }) => textField(fields, field),
})

const number = (heading: string, field: string, format: (value: number) => string, onPhone = false): SignalColumn => ({
  heading,
  width: 's',
  right: true,
  onPhone,
  text: ({ fields }) => {
    const value = numberField(fields, field)
    return value === null ? null : format(value)
  },
})

const OWN: Readonly<Record<SignalKind, readonly SignalColumn[]>> = {
  log: [attributes],
  metric: [
    { heading: 'Type', width: 'm', text: ({ fields }) => typeText(fields) },
    { heading: 'Value', width: 'xl', right: true, onPhone: true, text: ({ fields }) => measurementText(fields) },
    { ...attributes, width: 'm' },
  ],
  session: [
    { heading: 'Errors', width: 's', right: true, onPhone: true, text: ({ fields }) => sessionErrors(fields) },
    number('Duration', 'duration', formatSeconds, true),
    { ...release, width: 'l' },
  ],
  client_report: [plain('Category', 'category', 'm', true), number('Quantity', 'quantity', formatCount, true)],
  attachment: [plain('Type', 'content_type', 'm'), number('Size', 'bytes', formatBytes, true)],
  feedback: [{ heading: 'Contact', width: 'l', onPhone: true, text: ({ fields }) => contact(fields) }],
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

/** The columns that only this kind has, besides time, name, service, trace, envelope and delivery. */
export const ownColumns = (kind: SignalKind): readonly SignalColumn[] => OWN[kind]

/** A session counts its errors; an aggregate of sessions counts the sessions with errors. */
function sessionErrors(fields: SignalRow['fields']): string | null {
  return textField(fields, 'errors') ?? textField(fields, 'errored')
}

function contact(fields: SignalRow['fields']): string | null {
  const parts = [textField(fields, 'contactName') ?? textField(fields, 'name'), textField(fields, 'contact')]
  return parts.filter((part) => part !== null).join(' ') || null
}

type Fields = SignalRow['fields']

/** A field as text; `null` unless it is a number, a boolean or non-empty text. */
export function textField(fields: Fields, name: string): string | null {
  const value = fields[name]
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}

export function numberField(fields: Fields, name: string): number | null {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Attributes that SDKs add to every log and metric. */
const BY_THE_SDK = /^(?:sentry|server|user|browser|os|device|thread|code|process|app)\./

/** The sender’s own attributes in their order: `userId=7 plan=free`. */
export function attributesText(fields: Fields): string | null {
  const value = fields.attributes
  if (typeof value !== 'object' || value === null) return null
  const own = Object.entries(value).filter(([name]) => !BY_THE_SDK.test(name))
  const parts = own.map(([name, one]) => `${name}=${typeof one === 'string' ? one : JSON.stringify(one)}`)
  return parts.length === 0 ? null : parts.join(' ')
}

/** Fields of logs and metrics of OpenTelemetry that a detail shows in parts of their own. */
const OWN_PARTS: ReadonlySet<string> = new Set([
  'body',
  'resource',
  'scope',
  'bounds',
  'buckets',
  'positive',
  'negative',
  'quantiles',
  'exemplars',
  'droppedAttributes',
])

/** The fields of a signal as name and value, without its attributes. Absent and empty ones are left out. */
export function fieldLines({
  kind,
  fields,
}: Pick<SignalRow, 'kind' | 'fields'>): readonly (readonly [string, unknown])[] {
  const isOtel = fields.resource !== undefined && (kind === 'log' || kind === 'metric')
  return Object.entries(fields).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    if (value === null || value === undefined || isEmpty(value)) return []
    if (name === 'attributes' || (isOtel && (OWN_PARTS.has(name) || (name === 'flags' && value === 0)))) return []
    return [[name, isOtel && name === 'flags' ? `0x${Number(value).toString(16).padStart(2, '0')}` : value]]
  })
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value ?? {}).length === 0

/** The attributes of a signal; empty when it has none. */
export const attributesOf = ({ attributes }: Fields): Readonly<Record<string, unknown>> =>
  typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes) ? { ...attributes } : {}

const BAD: ReadonlySet<string> = new Set(['error', 'fatal', 'critical', 'crashed', 'abnormal', 'missed', 'timeout'])
const WARN: ReadonlySet<string> = new Set(['warn', 'warning', 'errored', 'unhandled'])

export function levelTone(level: string | null): 'bad' | 'warn' | 'quiet' {
  const name = level?.toLowerCase() ?? ''
  if (BAD.has(name)) return 'bad'
  return WARN.has(name) ? 'warn' : 'quiet'
}
