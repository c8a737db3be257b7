import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { plainText } from '../lib/format'
import { receiptAt } from '../lib/protocol/request'
import type { Submission } from '../lib/protocol/submission'
import { startTimer } from '../lib/time'
import { createRareLog } from './api/otlp-port'
import type { AppDeps } from './app'
import type { BuiltRecord } from './build-storage'
import type { Config } from './config'
import { createZstdDecoders } from './intake/decoder'
import { createBodyReader } from './intake/read-body'
import { createRefusalCounter } from './intake/refusal'
import type { Relay } from './relay/relay'
import type { Appended, DiskBudgetExceeded } from './spool/spool'

export interface BuiltIntake {
  readonly deps: Pick<AppDeps, 'readBody' | 'spool' | 'newReceipt' | 'logOtlpRefusal'>
  /** A sentence while request bodies wait for memory. */
  readonly problem: () => string | null
  /** Logs a message of a kind once per period. */
  readonly logRarely: ReturnType<typeof createRareLog>
  readonly close: () => Promise<void>
}

/**
 * Reads bodies, appends them, and passes each new one to the relay from memory.
 * @param onAppended called with each body and the number of its fact, which a repeated one has already
 */
export function buildIntake(
  { environment }: Config,
  { spool, load }: BuiltRecord,
  relay: Relay,
  onAppended: (submission: Submission, journal: number) => void,
): BuiltIntake {
  const monotonic = (): number => performance.now()
  const zstd = createZstdDecoders(startTimer)
  const { readBody, problem } = createBodyReader({
    sizeLimits: environment.sizeLimits,
    zstd,
    later: startTimer,
    monotonic,
  })
  const logRarely = createRareLog({ log: console.error, monotonic })
  return {
    deps: {
      readBody,
      spool: {
        append: async (submission) => {
          const appended = await load.measure(spool.append(submission))
          offerToRelay(relay, submission, appended)
          if ('journal' in appended) onAppended(submission, appended.journal)
          return appended
        },
        addUnseenAnswer: spool.addUnseenAnswer,
        countPages: spool.countPages,
        countRefusal: createRefusalCounter({ spool, later: startTimer, log: console.error }),
      },
      newReceipt: () => receiptAt(Date.now(), randomUUID()),
      logOtlpRefusal: (reason, at, detail) =>
        logRarely(reason, plainText(`OTLP refused (${reason}, ${at}): ${detail}`)),
    },
    problem,
    logRarely,
    close: zstd.close,
  }
}

/** Passes a new pending envelope to the relay from memory, so that the relay need not read it back. */
function offerToRelay(relay: Relay, submission: Submission, appended: Appended | DiskBudgetExceeded): void {
  if (!('seq' in appended) || appended.pendingAfter === undefined) return
  const { seq, pendingAfter } = appended
  const upstream = relay.upstreamFor({ publicKey: submission.publicKey, projectId: submission.project })
  upstream?.offer({ seq, pendingAfter, content: submission })
}
