import { createHash } from 'node:crypto'
import { isObject, type JsonObject, listOf, text } from '../protocol/json-value'
import { chooseExceptions } from './exceptions'
import { type GroupedEvent, readFingerprint } from './fingerprint'
import { framesOf, type JudgedFrame, judgeFrames, type TopFrame, topFrame } from './frames'
import { comparedMessage } from './parameterise'

/** Changes with every rule: it is stored with each hash. A change also requires a new version of the index. */
export const GROUPING_VERSION = 1

export type GroupingVariant =
  | 'checksum'
  | 'fingerprint'
  | 'built_in'
  | 'app'
  | 'system'
  | 'exception'
  | 'message'
  | 'none'

/** A value of the event that was considered for the hash. */
interface Part {
  readonly kind: 'checksum' | 'fingerprint' | 'type' | 'value' | 'frame' | 'message'
  /** Index of the exception, outermost first. */
  readonly exception: number | null
  readonly text: string
  readonly counts: boolean
  readonly hint: string | null
}

interface Variant {
  readonly variant: GroupingVariant
  readonly hash: string | null
  readonly hint: string | null
  readonly parts: readonly Part[]
}

export interface Grouping {
  readonly hash: string
  readonly version: number
  readonly variant: GroupingVariant
  /** `Type: message`, with parameters replaced. */
  readonly title: string
  readonly type: string | null
  /** The message of the exception, or of the event. */
  readonly value: string | null
  readonly top: TopFrame | null
  /** All variants that were considered, the decisive one first; built on request, because only one page shows them. */
  readonly explain: () => readonly Variant[]
}

const PARAMETERS = 'parameters are replaced'
const MOST_TITLE_CHARACTERS = 500

/** Computes the group of an error event. The same event always has the same group: no source map, no clock. */
export function groupError(event: GroupedEvent): Grouping {
  const stacks = readStacks(event)
  const main = stacks.main
  const fingerprint = readFingerprint(event, main)
  const checksum = text(event.payload.checksum)
  const candidates = candidatesOf(stacks)
  const salt = fingerprint?.entries.includes(null) ? fingerprint.entries.map((entry) => entry ?? '{{ default }}') : []
  const chosen = candidates.find(({ values }) => values !== null)
  const decided: { readonly variant: GroupingVariant; readonly hash: string; readonly own: Variant | null } =
    checksum !== null
      ? ownVariant('checksum', checksumHash(checksum), [checksum])
      : fingerprint !== null && salt.length === 0
        ? ownVariant(
            fingerprint.from === 'built_in' ? 'built_in' : 'fingerprint',
            md5(textsOf(fingerprint.entries)),
            textsOf(fingerprint.entries),
          )
        : { variant: chosen?.variant ?? 'none', hash: md5([...salt, ...(chosen?.values ?? ['<none>'])]), own: null }
  return {
    hash: decided.hash,
    version: GROUPING_VERSION,
    variant: decided.variant,
    title: titleOf(main?.type ?? null, stacks.comparedValue),
    type: main?.type ?? null,
    value: main?.value ?? stacks.message,
    top: topFrame(main?.frames ?? stacks.loose),
    explain: () => explain(candidates, decided, salt),
  }
}

const textsOf = (entries: readonly (string | null)[]): readonly string[] => entries.filter((entry) => entry !== null)

const md5 = (values: readonly string[]): string => createHash('md5').update(values.join('')).digest('hex')

const checksumHash = (checksum: string): string => (/^[\da-f]{32}$/.test(checksum) ? checksum : md5([checksum]))

const ownVariant = (variant: 'checksum' | 'fingerprint' | 'built_in', hash: string, texts: readonly string[]) => {
  const kind = variant === 'checksum' ? variant : 'fingerprint'
  const parts = texts.map((one) => ({ kind, exception: null, text: one, counts: true, hint: null }) as const)
  return { variant, hash, own: { variant, hash, hint: null, parts } }
}

function titleOf(type: string | null, value: string | null): string {
  const title = type === null ? (value ?? '(no message)') : value === null ? type : `${type}: ${value}`
  return title.slice(0, MOST_TITLE_CHARACTERS)
}

interface Exception {
  readonly type: string | null
  readonly value: string | null
  readonly comparedValue: string | null
  readonly isSynthetic: boolean
  readonly frames: readonly JsonObject[]
  readonly judged: readonly JudgedFrame[]
  /** Outermost first, as an event lists them. */
  readonly index: number
}

interface Stacks {
  /** Those that count, in the order of the wire; empty without exceptions. */
  readonly exceptions: readonly Exception[]
  readonly main: Exception | null
  /** The stack of a thread, or of the event itself, when there is no exception. */
  readonly loose: readonly JsonObject[]
  readonly judgedLoose: readonly JudgedFrame[]
  readonly message: string | null
  readonly comparedMessage: string | null
  readonly comparedValue: string | null
}

function readStacks({ payload, platform, message }: GroupedEvent): Stacks {
  const values = listOf(payload.exception ?? payload['sentry.interfaces.Exception'])
  const read = new Map<number, Exception>()
  const exception = (at: number): Exception => {
    const known = read.get(at) ?? readException(values[at] ?? {}, platform, values.length - 1 - at)
    read.set(at, known)
    return known
  }
  const chosen = chooseExceptions(values, (at) => identityOf(exception(at)))
  const main = values.length === 0 ? null : exception(chosen.main)
  const loose = values.length === 0 ? looseFrames(payload) : []
  const template = isObject(payload.logentry) ? text(payload.logentry.message) : null
  const compared = values.length === 0 ? (template ?? message) : null
  const comparedText = compared === null ? null : comparedMessage(compared)
  return {
    exceptions: chosen.counted.map(exception),
    main,
    loose,
    judgedLoose: judgeFrames(loose, platform),
    message,
    comparedMessage: comparedText,
    comparedValue: main === null ? comparedText : main.comparedValue,
  }
}

function readException(value: JsonObject, platform: string | null, index: number): Exception {
  const frames = framesOf(value)
  const message = text(value.value) ?? (isObject(value.value) ? JSON.stringify(value.value) : null)
  return {
    type: text(value.type),
    value: message,
    comparedValue: message === null ? null : comparedMessage(message),
    isSynthetic: isObject(value.mechanism) && value.mechanism.synthetic === true,
    frames,
    judged: judgeFrames(frames, platform),
    index,
  }
}

/** Exceptions of a group with the same text are the same one. */
function identityOf(exception: Exception): string {
  const app = valuesOf(exception, isOfApp)
  return app.isStack ? app.values.join('\n') : valuesOf(exception, isCompared).values.join('\n')
}

function looseFrames(payload: JsonObject): readonly JsonObject[] {
  const threads = listOf(payload.threads)
  const thread =
    onlyOne(threads.filter(({ crashed }) => crashed === true)) ??
    onlyOne(threads.filter(({ current }) => current === true)) ??
    onlyOne(threads)
  return thread === null ? framesOf(payload) : framesOf(thread)
}

const onlyOne = <Value>(list: readonly Value[]): Value | null => (list.length === 1 ? (list[0] ?? null) : null)

type Counts = (frame: JudgedFrame) => boolean

const isOfApp: Counts = ({ values, inApp }) => values !== null && inApp
const isCompared: Counts = ({ values }) => values !== null
const isNever: Counts = () => false

/** A way to compare an event: `values` is `null` when nothing counts in it, or when an earlier way excludes it. */
interface Candidate {
  readonly variant: GroupingVariant
  readonly values: readonly string[] | null
  readonly hint: string | null
  readonly stacks: Stacks
  readonly counts: Counts
}

/** In order of precedence: the first with values decides. */
function candidatesOf(stacks: Stacks): readonly Candidate[] {
  const frames = stacks.main === null ? stacks.judgedLoose : stacks.exceptions.flatMap(({ judged }) => judged)
  const hasBundled = frames.some(({ isBundled }) => isBundled)
  const candidate = (variant: GroupingVariant, counts: Counts, without: string | null): Candidate => ({
    variant,
    values: without === null ? hashedValues(stacks, counts) : null,
    hint: without,
    stacks,
    counts,
  })
  return [
    candidate('app', isOfApp, frames.some(isOfApp) ? null : 'no frame of the app counts'),
    candidate(
      'system',
      isCompared,
      hasBundled
        ? 'frames in files of a build are left out, and the rest of such a stack says too little'
        : frames.some(isCompared)
          ? null
          : 'no frame counts',
    ),
    stacks.main === null
      ? candidate('message', isNever, stacks.comparedMessage === null ? 'there is no message' : null)
      : candidate(
          'exception',
          isNever,
          hashedValues(stacks, isNever).length === 0 ? 'there is neither type nor message' : null,
        ),
  ]
}

function hashedValues(
  { main, exceptions, judgedLoose, comparedMessage: message }: Stacks,
  counts: Counts,
): readonly string[] {
  if (main !== null) return exceptions.flatMap((exception) => valuesOf(exception, counts).values)
  const stack = judgedLoose.filter(counts).flatMap(({ values }) => values ?? [])
  return stack.length > 0 ? stack : message === null ? [] : [message]
}

/** Type, then the stack, or the message where no frame counts. */
function valuesOf({ type, isSynthetic, comparedValue, judged }: Exception, counts: Counts) {
  const stack = judged.filter(counts).flatMap(({ values }) => values ?? [])
  const isStack = stack.length > 0
  const named = type === null || (isSynthetic && (isStack || comparedValue !== null)) ? [] : [type]
  const rest = isStack ? stack : comparedValue === null ? [] : [comparedValue]
  return { isStack, values: [...named, ...rest] }
}

function explain(
  candidates: readonly Candidate[],
  { variant, own }: { readonly variant: GroupingVariant; readonly own: Variant | null },
  salt: readonly string[],
): readonly Variant[] {
  const precedence = own === null ? null : `the ${own.parts[0]?.kind ?? 'fingerprint'} decides`
  const salts = salt.map(
    (entry): Part => ({ kind: 'fingerprint', exception: null, text: entry, counts: true, hint: null }),
  )
  const all = candidates.map(
    (candidate): Variant => ({
      variant: candidate.variant,
      hash: candidate.values === null ? null : md5([...salt, ...candidate.values]),
      hint: precedence ?? candidate.hint ?? (candidate.variant === variant ? null : `${variant} takes precedence`),
      parts: [...salts, ...partsOf(candidate)],
    }),
  )
  if (own !== null) return [own, ...all]
  return [...all.filter((one) => one.variant === variant), ...all.filter((one) => one.variant !== variant)]
}

function partsOf({ stacks, counts }: Candidate): readonly Part[] {
  if (stacks.main !== null) return stacks.exceptions.flatMap((exception) => exceptionParts(exception, counts))
  const stack = frameParts(stacks.judgedLoose, counts, null)
  const hasStack = stack.some((part) => part.counts)
  const { comparedMessage: compared, message } = stacks
  if (compared === null) return stack
  const hint = hasStack ? 'the stack counts instead' : compared === message ? null : PARAMETERS
  return [...stack, { kind: 'message', exception: null, text: compared, counts: !hasStack, hint }]
}

function exceptionParts(exception: Exception, counts: Counts): readonly Part[] {
  const { type, isSynthetic, value, comparedValue, judged, index } = exception
  const { isStack, values } = valuesOf(exception, counts)
  const hasType = type !== null && values[0] === type
  const typePart: readonly Part[] =
    type === null
      ? []
      : [
          {
            kind: 'type',
            exception: index,
            text: type,
            counts: hasType,
            hint: isSynthetic && !hasType ? 'the SDK made it up' : null,
          },
        ]
  const hint = isStack ? 'the stack counts instead' : comparedValue === value ? null : PARAMETERS
  const valuePart: readonly Part[] =
    comparedValue === null ? [] : [{ kind: 'value', exception: index, text: comparedValue, counts: !isStack, hint }]
  return [...typePart, ...valuePart, ...frameParts(judged, counts, index)]
}

/** Newest call first, as an event lists them. */
const frameParts = (judged: readonly JudgedFrame[], counts: Counts, exception: number | null): readonly Part[] =>
  [...judged].reverse().map((frame) => ({
    kind: 'frame',
    exception,
    text: frame.label ?? (frame.values ?? []).join(' › '),
    counts: counts(frame),
    hint: frame.hint ?? (counts(frame) ? null : counts === isOfApp ? 'not of the app' : 'the message counts instead'),
  }))
