import { nodesOf } from '../../protocol/trace/span-tree'
import { traceIdsOf, traceOf, traceText } from '../../verdict/expectations/trace'
import { waterfallPicture } from '../../verdict/reports/waterfall-svg'
import type { CollectorClient } from '../../wire/collector-client'
import { errorMessage } from '../clock'
import { withAnswerTimeout } from '../collector'
import type { Recording } from '../recording'

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
  readonly telemetry: Pick<Recording, 'stamp' | 'evidence' | 'submissions' | 'losses' | 'gaps' | 'boards' | 'clock'>
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
      body: waterfallPicture({ name: `trace ${trace.traceId}`, spans: nodesOf(trace.roots), errors: trace.events }),
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
function rawEnvelopes(submissions: ReturnType<Recording['submissions']>): Buffer {
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
