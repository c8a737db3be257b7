import type { Relay } from './relay/relay'
import type { Readiness } from './routes/health'
import type { Reader } from './store/reader'

/** A health check that takes longer says so itself. */
const HEALTH_BUDGET_MS = 900

const BUSY = `spool.db could not be written within ${HEALTH_BUDGET_MS} ms: another program may hold it locked (a database browser, a backup), or the disk is slow; an envelope waits some seconds and is then refused`

/** Ready means: the record can be read, there is room and a disk that takes it, and every upstream takes what it is sent. */
export function createReadiness(parts: {
  readonly reader: Pick<Reader, 'head'>
  readonly relay: Relay
  /** Has the record's writer take a turn. */
  readonly probe: () => Promise<void>
  /** Why room or disk are not as they should be. */
  readonly room: () => Promise<readonly string[]>
}): () => Promise<Readiness> {
  return async () => {
    const notReady: string[] = []
    const [read, written, room] = await Promise.all([
      within(HEALTH_BUDGET_MS, Promise.all([parts.relay.states(), parts.reader.head()])),
      within(
        HEALTH_BUDGET_MS,
        parts.probe().then(
          () => [],
          (error: Error) => [`spool.db cannot be written: ${error.message}`],
        ),
      ),
      within(HEALTH_BUDGET_MS, parts.room()),
    ])
    const [states] = read ?? [null]
    if (states === null) notReady.push(`the store did not answer within ${HEALTH_BUDGET_MS} ms`)
    notReady.push(...(written ?? [BUSY]), ...(room ?? []))
    for (const state of states ?? []) {
      if (state.state !== 'backing_off') continue
      const why = state.last?.error ?? `it answered ${state.last?.status}`
      notReady.push(`${state.label} does not take envelopes: ${why}; ${state.owed} wait`)
    }
    return { ready: notReady.length === 0, notReady }
  }
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
