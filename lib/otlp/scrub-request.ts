import protobuf from 'protobufjs/light.js'
import { type FieldKind, FieldName, secretKind } from '../scrub/field-name'
import { optionOfSecret } from '../scrub/parameters'
import { type FieldContext, type OnFound, scrubField, scrubPayload } from '../scrub/payload'
import { FILTERED, type Removes, type RuleName, removesAll } from '../scrub/rules'
import { inheritedSecret } from '../scrub/text-context'
import { requestType } from './decode'
import { readJsonTree } from './json-tree'
import { type ByteRange, type FieldNode, type MessageNode, readProtobufTree } from './message-tree'
import type { OtlpEncoding, OtlpSignal } from './signals'

/**
 * Scrubs the texts of an export request: attributes by their names and by the rules for text, other fields by the rules
 * for text. Every other byte stays, in protobuf also fields that the schema does not have. A secret attribute of bytes
 * becomes the bytes of `[Filtered]`. Returns the same array if nothing is removed. @throws Error for a body that intake would refuse
 */
export function scrubRequest(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  body: Uint8Array,
  onFound: OnFound,
  removes: Removes = removesAll,
): Uint8Array {
  const type = requestType(signal)
  const tree = encoding === 'json' ? readJsonTree(body, type) : readProtobufTree(body, type)
  const edits: Edits = new Map()
  new RequestScrubber(encoding === 'json' ? body : null, edits, onFound, removes).message(tree, OUTSIDE, null)
  if (edits.size === 0) return body
  return encoding === 'json' ? editedJson(body, edits) : (editedMessage(body, tree, edits) ?? body)
}

/** The new bytes of ranges. */
type Edits = Map<ByteRange, Uint8Array>

/** The path to a text, from its end. */
interface Path {
  readonly parent: Path | null
  readonly part: string | number
}

/** The meaning of an attribute's name for its value. */
interface ValueContext extends FieldContext {
  /** The span calls a server, so the address of its peer is not a person's. */
  readonly isCaller: boolean
}

const encoder = new TextEncoder()
/** The text before and after a field: every text under a secret name is secret. */
const PLAIN_OBJECT = [encoder.encode('{'), encoder.encode('}')] as const
const SECRET_OBJECT = [encoder.encode('{"secret":{'), encoder.encode('}}')] as const

const OUTSIDE: ValueContext = { kind: 'plain', secretAbove: null, name: '', isCaller: false }

/** `CLIENT`, `PRODUCER` and `CONSUMER` of `SpanKind`. */
const CALLING_KINDS: ReadonlySet<number> = new Set([3, 4, 5])

/** Its texts are the names of attributes. */
const REFERENCES = 'EntityRef'

class RequestScrubber {
  readonly #json: Uint8Array | null
  readonly #edits: Edits
  readonly #onFound: OnFound
  readonly #removes: Removes

  /** @param json the body; `null` for protobuf */
  constructor(json: Uint8Array | null, edits: Edits, onFound: OnFound, removes: Removes) {
    this.#json = json
    this.#edits = edits
    this.#onFound = onFound
    this.#removes = removes
  }

  message(node: MessageNode, context: ValueContext, path: Path | null): void {
    if (node.type === 'KeyValue') {
      this.#attribute(node, context, path)
      return
    }
    for (const range of node.unknown) this.#unknown(range, context, path)
    if (node.type === 'AnyValue') this.#value(node, context, path)
    else if (node.type !== REFERENCES) this.#fields(node, context, path)
  }

  #fields(node: MessageNode, outside: ValueContext, path: Path | null): void {
    const context = { ...outside, isCaller: outside.isCaller || CALLING_KINDS.has(node.kind) }
    for (const field of node.fields) {
      const at = pathTo(field, path)
      const { value } = field
      if (typeof value === 'string')
        this.#text(field, value, { ...OUTSIDE, kind: nameOf(field.name).kind, name: field.name }, at)
      else if (value !== null) this.message(value, context, at)
    }
  }

  #attribute(node: MessageNode, context: ValueContext, path: Path | null): void {
    const key = node.fields.findLast(({ name }) => name === 'key')?.value
    const name = nameOf(typeof key === 'string' ? key : '')
    const kind = context.kind === 'cookies' ? name.kindOfCookie : name.kind
    const secretAbove = inheritedSecret(context)
    const ofValue = { ...context, kind: withPeer(kind, context.isCaller), secretAbove, name: name.text }
    const at = { parent: path, part: name.text }
    for (const range of node.unknown) this.#unknown(range, ofValue, at)
    for (const { value } of node.fields) if (isMessage(value)) this.message(value, ofValue, at)
  }

  #value(node: MessageNode, context: ValueContext, path: Path | null): void {
    for (const field of node.fields) {
      const { value } = field
      if (typeof value === 'string') this.#text(field, value, context, path)
      else if (value === null) this.#bytes(field, context, path)
      else if (value.type === 'ArrayValue') this.#list(value, context, path)
      else for (const { value: pair } of value.fields) if (isMessage(pair)) this.message(pair, context, path)
    }
  }

  /** The value after `--password` in a list of arguments is secret. */
  #list({ fields }: MessageNode, context: ValueContext, path: Path | null): void {
    let option: string | null = null
    for (const { value, index } of fields) {
      if (!isMessage(value)) continue
      const of = option === null ? context : { ...context, kind: nameOf(option).kind, name: option }
      this.message(value, of, { parent: path, part: index ?? 0 })
      const text = value.fields.find(({ name }) => name === 'stringValue')?.value
      option = typeof text === 'string' ? optionOfSecret(text) : null
    }
  }

  #text(field: FieldNode, text: string, context: FieldContext, path: Path | null): void {
    const found = (rule: RuleName): void => this.#onFound(rule, () => partsOf(path))
    const scrubbed = scrubField(text, context, found, this.#removes)
    // Lone surrogates are escaped in JSON.
    const written = this.#json === null ? scrubbed : JSON.stringify(scrubbed).slice(1, -1)
    if (scrubbed !== text) this.#edits.set(field, encoder.encode(written))
  }

  /** Bytes have no format that could be judged, so their name decides. */
  #bytes(field: FieldNode, { kind, secretAbove }: ValueContext, path: Path | null): void {
    const secret = secretKind(kind) ?? secretAbove
    if (secret === null || field.end - field.start === 0) return
    this.#onFound(secret === 'secret' ? 'key' : 'cookie', () => partsOf(path))
    this.#edits.set(field, encoder.encode(this.#json === null ? FILTERED : btoa(FILTERED)))
  }

  /** Scrubs a field that the schema does not have, with its name, as any JSON. */
  #unknown(range: ByteRange, context: FieldContext, path: Path | null): void {
    if (this.#json === null) return
    const [before, after] = inheritedSecret(context) === null ? PLAIN_OBJECT : SECRET_OBJECT
    const object = joined([before, this.#json.subarray(range.start, range.end), after])
    const found: OnFound = (rule, within) =>
      this.#onFound(rule, () => [...partsOf(path), ...within().slice(after.length - 1)])
    const scrubbed = scrubPayload(object, found, this.#removes)
    if (scrubbed !== object) this.#edits.set(range, scrubbed.subarray(before.length, -after.length))
  }
}

const isMessage = (value: FieldNode['value']): value is MessageNode => typeof value === 'object' && value !== null

const withPeer = (kind: FieldKind, isCaller: boolean): FieldKind =>
  kind !== 'peer' ? kind : isCaller ? 'plain' : 'address'

/** An attribute follows its list directly: its key identifies it better than its position. */
function pathTo({ name, index, value }: FieldNode, path: Path | null): Path {
  const at = { parent: path, part: name }
  return index === null || (isMessage(value) && value.type === 'KeyValue') ? at : { parent: at, part: index }
}

function partsOf(path: Path | null): readonly (string | number)[] {
  const parts: (string | number)[] = []
  for (let at = path; at !== null; at = at.parent) parts.push(at.part)
  return parts.reverse()
}

/** A few hundred names make up almost all attributes. */
const MOST_NAMES = 4000
const names = new Map<string, FieldName>()

function nameOf(text: string): FieldName {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = new FieldName(text)
  if (names.size >= MOST_NAMES) names.clear()
  names.set(text, name)
  return name
}

function editedJson(body: Uint8Array, edits: Edits): Uint8Array {
  const pieces: Uint8Array[] = []
  let kept = 0
  for (const [{ start, end }, bytes] of [...edits].sort(([one], [other]) => one.start - other.start)) {
    pieces.push(body.subarray(kept, start), bytes)
    kept = end
  }
  return joined([...pieces, body.subarray(kept)])
}

/** Writes a message again where a text in it changed, because the length of each message around it changes too. */
function editedMessage(body: Uint8Array, node: MessageNode, edits: Edits, start = 0, end = body.length) {
  const pieces: Uint8Array[] = []
  let kept = start
  for (const field of node.fields) {
    const content = editedContent(body, field, edits)
    if (content === null) continue
    pieces.push(body.subarray(kept, field.begin), protobuf.Writer.create().uint32(content.length).finish(), content)
    kept = field.end
  }
  return pieces.length === 0 ? null : joined([...pieces, body.subarray(kept, end)])
}

const editedContent = (body: Uint8Array, field: FieldNode, edits: Edits): Uint8Array | null =>
  isMessage(field.value) ? editedMessage(body, field.value, edits, field.start, field.end) : (edits.get(field) ?? null)

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
