import { strandedSentence, type UpstreamState } from '../../lib/wire/overview'
import type { Reader } from '../index/reader'
import { quotedAnswer } from '../relay/circuit-breaker'
import type { Relay } from '../relay/relay'
import type { Readiness } from './health'

/** A health check that takes longer says so itself. */
const HEALTH_BUDGET_MS = 900

const BUSY = `spool.db could not be written within ${HEALTH_BUDGET_MS} ms: another program may hold it locked (a database browser, a backup), or the disk is slow; an envelope waits some seconds and is then refused`

/** Ready means: the record can be read, there is room and a disk that takes it, and every upstream takes what it is sent. */
export function createReadiness(parts: {
  readonly reader: Pick<Reader, 'head'>
  readonly relay: Pick<Relay, 'states' | 'stranded'>
  /** Has the record's writer take a turn. */
  readonly probe: () => Promise<void>
  /** Why room or disk are not as they should be. */
  readonly room: () => Promise<readonly string[]>
}): () => Promise<Readiness> {
  return async () => {
    const notReady: string[] = []
    const [read, written, room] = await Promise.all([
      within(HEALTH_BUDGET_MS, Promise.all([parts.relay.states(), parts.relay.stranded(), parts.reader.head()])),
      within(
        HEALTH_BUDGET_MS,
        parts.probe().then(
          () => [],
          (error: Error) => [`spool.db cannot be written: ${error.message}`],
        ),
      ),
      within(HEALTH_BUDGET_MS, parts.room()),
    ])
    if (read === null) notReady.push(`the store did not answer within ${HEALTH_BUDGET_MS} ms`)
    notReady.push(...(written ?? [BUSY]), ...(room ?? []))
    const [states, stranded] = read ?? [[], []]
    notReady.push(...states.flatMap(explainUpstream), ...stranded.map(strandedSentence))
    return { ready: notReady.length === 0, notReady }
  }
}

/** What keeps an upstream from taking envelopes, and what waits for it; nothing where it takes them. */
function explainUpstream({ label, state, paused, last, pending }: UpstreamState): readonly string[] {
  if (state === 'paused' && paused !== null) {
    const since = new Date(paused.since).toISOString()
    return [
      `${label} refuses what it is sent: since ${since} it answers ${quotedAnswer(paused)}, which speaks of the DSN and not of an envelope; nothing is lost, ${pending} wait, and it is asked again once a minute`,
    ]
  }
  if (state !== 'backing_off') return []
  const why = last?.error ?? `it answered ${last?.status}`
  return [`${label} does not take envelopes: ${why}; ${pending} wait`]
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
