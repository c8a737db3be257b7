import { formatCount } from '../../lib/format'
import { hex32 } from '../../lib/protocol/ids'
import { number, text } from '../../lib/protocol/json-value'
import { tokensOf } from '../../lib/protocol/trace/span-pill'
import type { Span } from '../../lib/wire/trace'

interface ModelCall {
  readonly model: string | null
  /** For example `1,200 in, 85 out`. */
  readonly tokens: string | null
}

/** The model and the tokens of a call to a language model; `null` for other spans. */
export function modelCall(attributes: Readonly<Record<string, unknown>>): ModelCall | null {
  const model = text(attributes['gen_ai.response.model']) ?? text(attributes['gen_ai.request.model'])
  const { input, output } = tokensOf(attributes)
  if (model === null && input === null && output === null) return null
  const parts = [
    ...(input === null ? [] : [`${formatCount(input)} in`]),
    ...(output === null ? [] : [`${formatCount(output)} out`]),
  ]
  return { model, tokens: parts.length === 0 ? null : parts.join(', ') }
}

type Link = Span['links'][number]

/** The attribute from which `type` is read. */
const TYPE_ATTRIBUTE = 'sentry.link.type'

/** The attributes of a link without the one that its name shows. */
export const linkAttributes = ({ attributes = {} }: Pick<Link, 'attributes'>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(attributes).filter(([key]) => key !== TYPE_ATTRIBUTE))

/** Further linked traces are not checked. */
const MOST_CHECKED_TRACES = 20

/** The ids of other traces that links name, each once: a page checks whether they are on record. */
export const otherTraces = (links: readonly Pick<Link, 'traceId'>[], traceId: string): readonly string[] =>
  [...new Set(links.map((link) => link.traceId))]
    .filter((id) => id !== traceId && hex32(id) !== null)
    .slice(0, MOST_CHECKED_TRACES)

interface Source {
  readonly path: string
  readonly line: number | null
  readonly column: number | null
  /** False for a script of a page. */
  readonly isOnDisk: boolean
}

/** The position in the code that OpenTelemetry's attributes name, also by their earlier names; `null` without a file. */
export function sourceOf(attributes: Readonly<Record<string, unknown>>): Source | null {
  const given = text(attributes['code.file.path']) ?? text(attributes['code.filepath'])
  if (given === null) return null
  const path = given.startsWith('file:///') ? given.slice('file://'.length) : given
  return {
    path,
    line: number(attributes['code.line.number']) ?? number(attributes['code.lineno']),
    column: number(attributes['code.column.number']) ?? number(attributes['code.column']),
    isOnDisk: /^(?:\/(?!\/)|[a-z]:[\\/])/i.test(path),
  }
}
