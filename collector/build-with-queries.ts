import type { Environment } from '../lib/config/environment'
import { ownLocalDsn } from '../lib/config/environment'
import { type AppDeps, createApp } from './app'
import { type BuiltDelivery, buildDelivery } from './build-delivery'
import { type BuiltIntake, buildIntake } from './build-intake'
import { buildJudge } from './build-judge'
import { buildReads } from './build-reads'
import { type BuiltRecord, buildStorage } from './build-storage'
import type { Config } from './config'
import { receivedRecord } from './spool/spool'

/** The parts of a collector, in the order in which they stop: `reads` first, `record` last. */
export interface BuiltParts {
  readonly record: BuiltRecord
  readonly delivery: BuiltDelivery
  readonly intake: BuiltIntake
  readonly app: ReturnType<typeof createApp>
  /** For the second port, which serves only OTLP. */
  readonly otlpDeps: Pick<
    AppDeps,
    keyof BuiltDelivery['deps'] | keyof BuiltIntake['deps'] | 'environment' | 'now' | 'report'
  >
  readonly reads: {
    /** Rejects reads that wait for their turn. */
    readonly close: () => Promise<void>
    /** Ends what may still be used by open requests. */
    readonly closeLate: () => Promise<void>
  }
}

export interface BuildTools {
  /** Notes a part, which is closed when a later one fails. */
  readonly built: <Part extends { readonly close: () => Promise<void> }>(part: Part) => Part
  readonly onDeath: (error: Error) => void
  /** With the port that is in use. */
  readonly environment: () => Environment
}

/** A collector that answers queries, from its own record or from its mirror of a shared one. */
export async function buildWithQueries(
  config: Config,
  { built, onDeath, environment }: BuildTools,
): Promise<BuiltParts> {
  const storage = built(await buildStorage(config, onDeath))
  const { spool, hub, figures: counts } = storage
  const delivery = built(await buildDelivery(config, storage, onDeath))
  const intake = built(
    buildIntake(config, storage, delivery.relay, (submission, journal) => {
      // A repeated body has the number of its first receipt; the fact of a new one is published after this answer.
      // Records of a shared record are counted when its mirror has them, whichever collector received them.
      if (journal > hub.head && spool.shared === null) counts.noteReceived(receivedRecord(submission))
    }),
  )
  const reads = built(
    await buildReads(config, storage, delivery, {
      localDsn: () => ownLocalDsn(environment()),
      intakeProblem: intake.problem,
    }),
  )
  const judge = built(buildJudge(config.folder, storage, reads.deps.limitsNow, () => environment().collectorUrl))
  const figures = reads.figures(judge.lastVerdict)
  const deps: AppDeps = { ...reads.deps, ...delivery.deps, ...intake.deps, ...judge.deps, figures }
  return {
    record: storage,
    delivery,
    intake,
    app: createApp(deps),
    otlpDeps: deps,
    reads: {
      close: async () => {
        const closed = reads.close()
        storage.stopReads()
        await closed
      },
      closeLate: judge.close,
    },
  }
}
