import { formatDurationUs, plainText } from '../../format'
import { NO_ERRORS } from '../../protocol/trace/segment'
import { datedOrAll, isUndated, nodesOf, type SpanNode } from '../../protocol/trace/span-tree'
import type { SeenSpan } from '../../verdict/evidence/evidence'
import { type Trace, traceIdsOf, traceOf, traceText } from '../../verdict/expectations/trace'
import type { CollectorClient } from '../../wire/collector-client'
import { errorMessage } from '../clock'
import { withAnswerTimeout } from '../collector'
import type { Telemetry } from './session'

const MOST_TRACES = 10
const MOST_PICTURES = 5
/** Envelopes whose delivery status is requested, one by one. */
const MAX_STATUSES = 50
const MOST_BYTES = 16 * 1024 * 1024

interface Made {
  readonly body: string | Buffer
  readonly contentType: string
}

export interface Attaching {
  readonly telemetry: Pick<Telemetry, 'stamp' | 'evidence' | 'submissions' | 'losses' | 'gaps' | 'boards' | 'clock'>
  readonly client: Pick<CollectorClient, 'outcomesOf'>
  /** `false` if reports are published: envelopes contain everything that was sent in plain text. */
  readonly withEnvelopes: boolean
  readonly attach: (name: string, given: Made) => Promise<void>
}

/**
 * Attaches the telemetry of a failed test: traces as text and picture, envelopes byte for byte, and the ledger. If one
 * cannot be created, its error is attached instead, so that it does not hide the test's failure.
 */
export async function attachEvidence({ telemetry, client, withEnvelopes, attach }: Attaching): Promise<void> {
  const evidence = telemetry.evidence()
  const ids = traceIdsOf(evidence)
  const traces = ids.slice(0, MOST_TRACES).flatMap((id) => traceOf(evidence, id) ?? [])
  const attachMade = async (name: string, make: () => Made | null | Promise<Made | null>): Promise<void> => {
    const made = await Promise.resolve()
      .then(make)
      .catch((error: unknown) => ({
        body: `this could not be attached: ${errorMessage(error)}\n`,
        contentType: 'text/plain',
      }))
    if (made !== null) await attach(name, made)
  }
  await attachMade('telemetry.txt', () => ({
    body: summary(
      telemetry,
      ids.length,
      traces.map((trace) => traceText(trace)),
    ),
    contentType: 'text/plain',
  }))
  for (const trace of traces.slice(0, MOST_PICTURES))
    await attachMade(`trace-${trace.traceId.slice(0, 8)}.svg`, () => ({
      body: tracePicture(trace),
      contentType: 'image/svg+xml',
    }))
  await attachMade('envelopes.txt', () => {
    if (!withEnvelopes) return null
    const raw = rawEnvelopes(telemetry.submissions())
    // Not as text, because reporters print text attachments, and envelopes may contain secrets.
    return raw.length === 0 ? null : { body: raw, contentType: 'application/octet-stream' }
  })
  await attachMade('ledger.json', async () => ({
    body: await ledger(telemetry, client),
    contentType: 'application/json',
  }))
}

function summary({ stamp, boards, gaps }: Attaching['telemetry'], count: number, texts: readonly string[]): string {
  const board = boards.appUrl === null ? '' : `, ${boards.appUrl}/envelopes?stamp=${encodeURIComponent(stamp)}`
  const shown = count === 0 ? ['no trace was recorded'] : texts
  const more = count > texts.length && count > 0 ? [`and ${count - texts.length} more traces`] : []
  return [`stamp ${stamp}${board}`, ...gaps(), ...shown, ...more, ''].join('\n\n')
}

/** Envelopes, each after a JSON line with its facts and length: an envelope may contain newlines. */
function rawEnvelopes(submissions: ReturnType<Telemetry['submissions']>): Buffer {
  const parts: Buffer[] = []
  let length = 0
  for (const [index, { body, ...facts }] of submissions.entries()) {
    length += body.length
    if (length > MOST_BYTES) {
      parts.push(Buffer.from(`${JSON.stringify({ leftOut: submissions.length - index })}\n`))
      break
    }
    parts.push(
      Buffer.from(`${JSON.stringify({ ...facts, bytes: body.length })}\n`),
      Buffer.from(body),
      Buffer.from('\n'),
    )
  }
  return Buffer.concat(parts)
}

/** The losses of the test and the outcome of each envelope, or the error if the collector is gone. */
async function ledger(telemetry: Attaching['telemetry'], client: Attaching['client']): Promise<string> {
  try {
    const losses = await telemetry.losses()
    const submissions = telemetry.submissions().slice(0, MAX_STATUSES)
    const outcomes = await withAnswerTimeout(telemetry.clock, (signal) =>
      Promise.all(submissions.map(({ seq }) => client.outcomesOf(seq, signal))),
    )
    return JSON.stringify({ losses, outcomes: outcomes.filter((one) => one !== null) }, null, 2)
  } catch (error) {
    return JSON.stringify({ unknown: errorMessage(error) })
  }
}

export const DRAWN_SPANS = 200

const WIDTH = 1200
const NAMES = 480
const ROW = 20
const TOP = 34
const INDENT = 14
/** Deeper spans are not indented further, so that names stay in their column. */
const DEEPEST = 16
const BARS = WIDTH - NAMES - 90

/** A trace as a waterfall in one SVG, without scripts, fonts or URLs, so that reports can show it as a picture. */
export function tracePicture(trace: Trace): string {
  const rows = nodesOf(trace.roots)
  const drawn = rows.slice(0, DRAWN_SPANS)
  // With reduce: a spread is limited to some ten thousand arguments, and a trace may have more spans.
  const timed = datedOrAll(rows.map(({ span }) => span))
  const from = timed.reduce((least, { startUs }) => Math.min(least, startUs), Number.POSITIVE_INFINITY)
  const to = timed.reduce((most, { endUs }) => Math.max(most, endUs), from + 1)
  const failed = new Set(trace.events.map(({ spanId }) => spanId))
  const left = rows.length - drawn.length
  const height = TOP + (drawn.length + (left > 0 ? 1 : 0)) * ROW + 10
  const facts = [
    `trace ${trace.traceId}`,
    `${rows.length} spans`,
    `${trace.events.length} errors`,
    rows.length === 0 ? '' : formatDurationUs(to - from),
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="monospace" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    text(10, 20, facts.filter((fact) => fact !== '').join(' · '), '#111'),
    ...drawn.flatMap((node, index) =>
      row(node, { y: TOP + index * ROW, from, to, isFailed: failed.has(node.span.spanId) }),
    ),
    ...(left > 0 ? [text(10, TOP + drawn.length * ROW + 14, `and ${left} more`, '#555')] : []),
    '</svg>',
    '',
  ].join('\n')
}

interface Drawn {
  readonly y: number
  readonly from: number
  readonly to: number
  readonly isFailed: boolean
}

function row({ span, depth, orphan }: SpanNode<SeenSpan>, { y, from, to, isFailed }: Drawn): readonly string[] {
  const isElsewhere = isUndated(span) && !isUndated({ startUs: from })
  const x = isElsewhere ? NAMES : NAMES + ((span.startUs - from) / (to - from)) * BARS
  const width = isElsewhere ? 0 : Math.max(1, ((span.endUs - span.startUs) / (to - from)) * BARS)
  const duration = isElsewhere ? 'starts in 1970' : formatDurationUs(span.endUs - span.startUs)
  const isError = isFailed || !NO_ERRORS.some((status) => status === (span.status ?? 'unset'))
  const colour = isError ? '#c62828' : span.service === 'browser' ? '#1565c0' : '#2e7d32'
  const indent = 10 + Math.min(depth, DEEPEST) * INDENT
  const name = `${orphan ? '⋯ ' : ''}${span.op ?? ''} ${span.name}`.trim()
  const letters = Math.floor((NAMES - indent - 10) / 7.3)
  return [
    text(indent, y + 14, name.length > letters ? `${name.slice(0, letters - 1)}…` : name, isError ? '#c62828' : '#111'),
    `<rect x="${x.toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="${ROW - 8}" fill="${colour}"/>`,
    text(Math.min(x + width + 4, WIDTH - 80), y + 14, duration, '#555'),
  ]
}

const text = (x: number, y: number, words: string, colour: string): string =>
  `<text x="${x.toFixed(0)}" y="${y}" fill="${colour}" xml:space="preserve">${escaped(words)}</text>`

/** XML cannot contain U+FFFE and U+FFFF. */
const escaped = (words: string): string =>
  plainText(words)
    .replace(/[\ufffe\uffff]/g, '?')
    .replace(/[<>&"']/g, (character) => `&#${character.codePointAt(0)};`)
