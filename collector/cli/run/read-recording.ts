import { plural } from '../../../lib/format'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { runWithTimeout, sleep, timeoutMessage } from '../../../lib/time'
import type { CollectorClient } from '../../../lib/wire/collector-client'
import { CollectorError } from '../../../lib/wire/errors'
import type { Losses } from '../../../lib/wire/losses'
import type { Overview, UpstreamState } from '../../../lib/wire/overview'
import { type Service, whyUnknown } from '../../../lib/wire/services'
import { clientAt, messageLine } from '../collector-connection'
import { type Gathered, gather } from '../judge/gather'
import { waitingLine } from '../terminal'
import type { RunArguments } from './run-arguments'

/** The reason when the collector has ended. */
export const COLLECTOR_GONE = 'gone'
const ANSWER_TIMEOUT_MS = 5_000
const MOST_GATHERING_MS = 120_000
/** For a recording that keeps growing. */
const MOST_READS = 3
const MOST_ERROR_CHARACTERS = 300
/** Errors of a run whose frames are mapped, and the time for all of them. */
const MOST_MAPPED = 20
const MAPPING_MS = 5_000

export interface RecordingContents {
  readonly overview: Overview
  readonly losses: Losses
  /** Why logs and spans that a server buffered are unknown: one text per server. */
  readonly unknown: readonly string[]
  /** Everything that is judged, or why it could not be read; null when nothing is judged. */
  readonly gathered: Result<Gathered, string> | null
  /** The losses of each stamp of the plan. */
  readonly lossesOf: ReadonlyMap<string, Losses>
}

interface ReadingPlan {
  readonly given: Pick<RunArguments, 'settleMs'>
  /** Stamps whose losses are read, too. */
  readonly stamps: readonly string[]
  /** `null`: nothing is judged, so nothing is gathered. */
  readonly plan: object | null
  readonly env: NodeJS.ProcessEnv
}

/** Waits until the recording is settled, and reads it. Fails with the reason when that is not possible. */
export async function readRecording(
  { url }: { readonly url: string },
  { given, stamps, plan, env }: ReadingPlan,
  stop: AbortSignal,
): Promise<Result<RecordingContents, string>> {
  const client = clientAt(url, env.WAYSTATION_TOKEN)
  const line = waitingLine()
  try {
    const { unanswered } = await runWithTimeout(ANSWER_TIMEOUT_MS, stop, client.flushServices)
    await waitUntilDelivered({
      client,
      mostMs: given.settleMs,
      now: () => performance.now(),
      sleep: (ms) => sleep(ms, stop),
      stop,
      onWait: line.show,
    })
    for (let reads = 1; ; reads += 1) {
      const gathered =
        plan === null
          ? null
          : await runWithTimeout(MOST_GATHERING_MS, stop, (signal) => gatherRecording(client, url, signal, line))
      const [overview, losses, services] = await runWithTimeout(ANSWER_TIMEOUT_MS, null, (signal) =>
        Promise.all([client.overview(signal), client.losses({ signal }), client.services(signal)]),
      )
      // Summary and verdict must describe the same envelopes, so read again when more arrived in between.
      if (reads < MOST_READS && gathered?.ok && gathered.value.journal < overview.journal) continue
      const lossesOf = await readLossesOf(client, plan === null ? [] : stamps, stop)
      await mapErrors(client, stop)
      return succeed({ overview, losses, gathered, lossesOf, unknown: unknownOf(services, unanswered) })
    }
  } catch (cause) {
    return fail(explainUnreadable(cause))
  } finally {
    line.clear()
  }
}

/** Reads the losses of each stamp. @throws what the client throws */
export async function readLossesOf(
  client: Pick<CollectorClient, 'losses'>,
  stamps: readonly string[],
  stop: AbortSignal,
): Promise<ReadonlyMap<string, Losses>> {
  const lossesOf = new Map<string, Losses>()
  for (const stamp of stamps)
    lossesOf.set(stamp, await runWithTimeout(ANSWER_TIMEOUT_MS, stop, (signal) => client.losses({ stamp, signal })))
  return lossesOf
}

/** Maps the newest errors while their builds are on disk. The run keeps the answers for machines without the builds. */
async function mapErrors(client: CollectorClient, stop: AbortSignal): Promise<void> {
  try {
    await runWithTimeout(MAPPING_MS, stop, async (signal) => {
      const { events } = await client.events({ limit: MOST_MAPPED, signal })
      for (const { eventId } of events) await client.mappedFrames(eventId, signal)
    })
  } catch {
    // The recording is complete without them. Boards map them later, where the builds are on disk.
  }
}

const unknownOf = (services: readonly Service[], unanswered: readonly string[]): readonly string[] =>
  services.flatMap((service) => {
    const isStuck = service.open && unanswered.includes(service.name)
    const why = isStuck ? `${service.name} did not flush in time` : whyUnknown(service)
    return why === null ? [] : [why]
  })

async function gatherRecording(
  client: CollectorClient,
  collectorUrl: string,
  stop: AbortSignal,
  line: ReturnType<typeof waitingLine>,
): Promise<Result<Gathered, string>> {
  try {
    const onProgress = (done: number, of: number) => line.show(`for the recording to be read, ${done} of ${of}`)
    return succeed(await gather({ client, collectorUrl, stamp: null, after: null, stop, onProgress }))
  } catch (cause) {
    if (timeoutMessage(stop.reason) !== null) return fail(`reading it took longer than ${MOST_GATHERING_MS / 1000} s`)
    return fail(stop.aborted ? 'reading it was stopped' : explainUnreadable(cause))
  }
}

function explainUnreadable(cause: unknown): string {
  const timeout = timeoutMessage(cause)
  if (timeout !== null) return `the collector does not answer (${timeout})`
  if (cause instanceof CollectorError && cause.status === null) return COLLECTOR_GONE
  return messageLine(cause, MOST_ERROR_CHARACTERS)
}

/** `late`: envelopes were still in transit when the time was over. */
export type DeliveryState = 'settled' | 'late'

interface DeliveryWait {
  readonly client: Pick<CollectorClient, 'overview'>
  readonly mostMs: number
  /** ms on a monotonic clock. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly stop: AbortSignal
  /** Called repeatedly with what it waits for. */
  readonly onWait: (what: string) => void
}

const POLL_EVERY_MS = 100
/** Requests of the program may arrive after it has ended. */
const UNCHANGED_MS = 300

/** Digested and relayed, as far as possible, and nothing new arrives. @throws what the client throws */
export async function waitUntilDelivered({
  client,
  mostMs,
  now,
  sleep,
  stop,
  onWait,
}: DeliveryWait): Promise<DeliveryState> {
  const began = now()
  let unchanged = { since: began, journal: -1 }
  for (;;) {
    const overview = await runWithTimeout(ANSWER_TIMEOUT_MS, null, client.overview)
    if (overview.journal !== unchanged.journal) unchanged = { since: now(), journal: overview.journal }
    const waitsFor = whatIsInTransit(overview)
    if (waitsFor === null && now() - unchanged.since >= Math.min(UNCHANGED_MS, mostMs)) return 'settled'
    if (now() - began >= mostMs || stop.aborted) return waitsFor === null ? 'settled' : 'late'
    onWait(waitsFor ?? 'for requests that are still on their way')
    await sleep(POLL_EVERY_MS)
  }
}

/** Returns null when nothing is in transit. Paused upstreams and deferred envelopes would take too long. */
function whatIsInTransit({ last, upstreams }: Overview): string | null {
  const pending = upstreams.reduce((sum, upstream) => sum + moving(upstream), 0)
  if (pending > 0) return `for upstream to accept ${plural(pending, 'envelope')}`
  return last?.digest === 'pending' ? 'for the digest of the newest envelope' : null
}

const moving = ({ state, pending, deferred }: UpstreamState): number =>
  state === 'paused' ? 0 : Math.max(0, pending - deferred)
