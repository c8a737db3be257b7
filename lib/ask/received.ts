import { scrubPayload } from '../scrub/payload'
import type { Removes } from '../scrub/rules'

/** The longest text of one field in an answer, in characters. */
export const MOST_TEXT = 2048
/** The longest name in a list or a tree. */
export const MOST_LABEL = 80

/** Something that a program sent. An answer quotes it, so that nobody takes it for a sentence of Waystation. */
export interface Received {
  /** The name of its field, by which it is scrubbed; `null` for ids, files and lines, which stay. */
  readonly field: string | null
  readonly value: unknown
  /** Characters; longer texts are cut. */
  readonly most: number
}

/** A received value of a field; `null` for `null`, which an answer leaves out. */
export const received = <Value>(field: string, value: Value, most = MOST_TEXT): OrNull<Value> =>
  (value === null ? null : { field, value, most }) as OrNull<Value>

type OrNull<Value> = Received | (null extends Value ? null : never)

/** A received name, cut as in lists. */
export const label = <Value extends string | null>(field: string, value: Value): OrNull<Value> =>
  received(field, value, MOST_LABEL)

/** A received id, file or line, which is not scrubbed. */
export const verbatim = (value: string | number): Received => ({ field: null, value, most: MOST_TEXT })

export interface QuoteOptions {
  /** Leaves secrets in the text. */
  readonly raw: boolean
  /** Cuts every text after so many characters, whatever its own limit. */
  readonly most?: number
}

/** Quotes a text within a line, as code whose end the text cannot write. */
export function quoteInline(one: Received, options: QuoteOptions): string {
  const text = visible(
    cut(textOf(one, options), Math.min(one.most, options.most ?? one.most)).replaceAll(/\r?\n/g, '⏎'),
  )
  const ticks = '`'.repeat(longestRun(text) + 1)
  const space = text === '' || text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${ticks}${space}${text}${space}${ticks}`
}

/** Quotes a text of several lines as a fenced block. */
export function quoteBlock(one: Received, options: QuoteOptions): string {
  const lines = cut(textOf(one, options), Math.min(one.most, options.most ?? one.most)).split(/\r?\n/)
  const text = lines.map((line) => visible(line.replaceAll('\t', '  '))).join('\n')
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}received\n${text}\n${fence}`
}

/** The name of a user in a path stays: an agent opens files by these paths, on the machine of that user. */
const keepsPaths: Removes = ({ rule }) => rule !== 'user_path'

function textOf({ field, value }: Received, { raw }: QuoteOptions): string {
  const shown = raw || field === null ? value : scrubbed(field, value)
  return typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? '')
}

function scrubbed(field: string, value: unknown): unknown {
  const json = new TextEncoder().encode(JSON.stringify({ [field]: value }))
  const clean: unknown = JSON.parse(new TextDecoder().decode(scrubPayload(json, () => undefined, keepsPaths)))
  return Object.values(clean as Readonly<Record<string, unknown>>)[0]
}

/** Cuts between characters, and says how much is missing. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const end = /[\uD800-\uDBFF]/.test(text[most - 1] ?? '') ? most - 1 : most
  return `${text.slice(0, end)}… (${text.length - end} more characters)`
}

/** Controls, marks of direction, and characters without a shape, in which instructions can hide. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const visible = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
