import { formatBytes, formatCount, formatDurationMs, formatDurationUs, formatSeconds } from '../../lib/format'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { SignalRow } from '../../lib/wire/signal'
import { attributesText, numberField, textField } from './field-values'

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
