import { traceIdsOf, traceOf } from '../../verdict/expectations/trace'
import { traceText } from '../../verdict/expectations/trace-text'
import type { CollectorClient } from '../../wire/collector-client'
import { answered } from '../answered'
import { sentenceOf } from '../sentence-of'
import { tracePicture } from '../trace-picture'
import type { Telemetry } from './telemetry'

const MOST_TRACES = 10
const MOST_PICTURES = 5
/** Envelopes of which the status is asked for, one by one. */
const MOST_FATES = 50
const MOST_BYTES = 16 * 1024 * 1024

interface Made {
  readonly body: string | Buffer
  readonly contentType: string
}

export interface Attaching {
  readonly telemetry: Pick<Telemetry, 'stamp' | 'evidence' | 'submissions' | 'losses' | 'gaps' | 'boards' | 'clock'>
  readonly client: Pick<CollectorClient, 'outcomesOf'>
  /** `false` where reports go to others: envelopes have in clear whatever was sent. */
  readonly withEnvelopes: boolean
  readonly attach: (name: string, given: Made) => Promise<void>
}

/**
 * Attaches what a failed test told of: its traces as text and picture, its envelopes byte for byte, and the ledger. What
 * cannot be made is attached as the words of why: the test has failed of something else.
 */
export async function attachEvidence({ telemetry, client, withEnvelopes, attach }: Attaching): Promise<void> {
  const evidence = telemetry.evidence()
  const ids = traceIdsOf(evidence)
  const traces = ids.slice(0, MOST_TRACES).flatMap((id) => traceOf(evidence, id) ?? [])
  const attachMade = async (name: string, make: () => Made | null | Promise<Made | null>): Promise<void> => {
    const made = await Promise.resolve()
      .then(make)
      .catch((error: unknown) => ({
        body: `this could not be attached: ${sentenceOf(error)}\n`,
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
    // Not as text, which reporters print to the terminal: it has in clear whatever was sent.
    return raw.length === 0 ? null : { body: raw, contentType: 'application/octet-stream' }
  })
  await attachMade('ledger.json', async () => ({
    body: await ledger(telemetry, client),
    contentType: 'application/json',
  }))
}

function summary({ stamp, boards, gaps }: Attaching['telemetry'], count: number, texts: readonly string[]): string {
  const board = boards.appUrl === null ? '' : `, ${boards.appUrl}/envelopes?stamp=${encodeURIComponent(stamp)}`
  const told = count === 0 ? ['nothing was recorded of any trace'] : texts
  const more = count > texts.length && count > 0 ? [`and ${count - texts.length} more traces`] : []
  return [`stamp ${stamp}${board}`, ...gaps(), ...told, ...more, ''].join('\n\n')
}

/** Each behind a line of facts that says how many bytes it has: an envelope may have line feeds of its own. */
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

/** What was lost of what the test sent, and what became of each envelope; of a collector that is gone, that. */
async function ledger(telemetry: Attaching['telemetry'], client: Attaching['client']): Promise<string> {
  try {
    const losses = await telemetry.losses()
    const asked = telemetry.submissions().slice(0, MOST_FATES)
    const outcomes = await answered(telemetry.clock, (signal) =>
      Promise.all(asked.map(({ seq }) => client.outcomesOf(seq, signal))),
    )
    return JSON.stringify({ losses, outcomes: outcomes.filter((one) => one !== null) }, null, 2)
  } catch (error) {
    return JSON.stringify({ unknown: sentenceOf(error) })
  }
}
