import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createLoginThrottle } from '../lib/guard/login-throttle'
import { startTimer } from '../lib/time'
import { FRAMES_FILE, type RecordedRun } from '../lib/wire/run'
import { runEnding, shortCommit } from '../lib/wire/run-text'
import { describeScript } from '../lib/wire/scripted-answers'
import { createMarkGroup } from './api/group-marks'
import { createMarks } from './api/marks'
import { createMirrorWait } from './api/mirror-wait'
import { createActiveLimits, createLimitsNow, createOverview, createStatus } from './api/overview'
import { createHealth } from './api/readiness'
import { createSessions, SESSION_PREFIX } from './api/sessions'
import type { AppDeps } from './app'
import type { BuiltDelivery } from './build-delivery'
import type { BuiltIntake } from './build-intake'
import type { BuiltJudge } from './build-judge'
import type { BuiltStorage } from './build-storage'
import type { Config } from './config'
import { createFrameMapper } from './maps/frame-mapper'
import { createGroupFrames } from './maps/group-frames'
import { quotedAnswer } from './relay/upstream-breaker'
import { describeRun, loadKeptRuns } from './runs/load-runs'
import { mapStack } from './runtime/map-stack'
import { GROUP_PREFIX, MOMENT_PREFIX, markSetting, momentSetting, START_AT, toMarks, toMoments } from './spool/spool'

interface BuiltReads {
  /** Those that no other builder makes. */
  readonly deps: Omit<AppDeps, keyof (BuiltDelivery['deps'] & BuiltIntake['deps'] & BuiltJudge['deps']) | 'figures'>
  /** Reads the figures. @param lastVerdict of the judge, which is built later */
  readonly figures: (lastVerdict: BuiltJudge['lastVerdict']) => AppDeps['figures']
  readonly close: () => Promise<void>
}

/** Queries, control and health. */
export async function buildReads(
  config: Config,
  { spool, index, hub, figures, readTurns }: BuiltStorage,
  { relay, rateLimits, standIn, labRelay }: BuiltDelivery,
  given: { readonly localDsn: () => string; readonly intakeProblem: () => string | null },
): Promise<BuiltReads> {
  const { folder, environment, isShown } = config
  const { passLimits, holdErrors } = environment
  const now = Date.now
  const run = await describeRun(folder)
  const runs = loadKeptRuns({ folder, root: process.cwd(), bundles: import.meta.dirname, log: console.error })
  const roots = ['.', ...environment.sourceMaps]
  const maps = createFrameMapper({
    file: join(folder, FRAMES_FILE),
    roots: roots.map((root) => resolve(root)),
    later: startTimer,
  })
  const limitParts = { relay, rateLimits, record: spool, passLimits, holdErrors, now }
  const script = () => (standIn === null ? null : describeScript(standIn.answers(), now()))
  const shared = { relay, activeLimits: createActiveLimits(limitParts), now, script, isShown, record: spool }
  return {
    deps: {
      environment,
      isShown,
      index,
      record: spool,
      readTurns,
      afterMirror: createMirrorWait(spool.shared, hub),
      hub,
      runs,
      now,
      version: config.version,
      sessions: await createSessions({
        read: () => spool.settings(SESSION_PREFIX),
        save: (hash, text) => spool.saveSetting(SESSION_PREFIX + hash, text),
        isShared: spool.shared !== null,
        token: environment.token,
        now,
        monotonic: () => performance.now(),
      }),
      markGroup: createMarkGroup({
        read: async () => toMarks(await spool.settings(GROUP_PREFIX)),
        save: async (hash, mark) => {
          await spool.saveSetting(markSetting(hash), mark === null ? null : JSON.stringify(mark))
          await spool.noteChanged()
        },
      }),
      marks: createMarks({
        read: async () => toMoments(await spool.settings(MOMENT_PREFIX)),
        save: (name, mark) =>
          spool.saveSetting(
            momentSetting(name),
            mark === null ? null : JSON.stringify({ journal: mark.journal, at: mark.at }),
          ),
        // A mirror may lack what was just stored, which belongs before the mark.
        head: spool.shared?.head ?? spool.head,
        now,
      }),
      throttle: createLoginThrottle(() => performance.now()),
      log: console.error,
      report: (error) => console.error(mapStack(error.stack ?? error.message)),
      limitsNow: createLimitsNow(limitParts),
      mapFrames: maps.mapFrames,
      groupFrames: createGroupFrames({
        errorGroup: (hash) => index.errorGroup(hash, null),
        readEvent: index.event,
        mapFrames: maps.mapFrames,
        monotonic: () => performance.now(),
      }),
      status: createStatus({
        ...shared,
        ...given,
        holdErrors,
        run,
        roles: environment.roles,
        shown: shownSentence(isShown, run),
      }),
      overview: createOverview({ ...shared, ...given, index, startedAt: now(), folder, labRelay, run }),
      health: createHealth({ ...given, index, record: spool, relay, pauseAnswer: quotedAnswer }),
      clear: spool.clear,
      deleteVisitor: (visitors) => spool.deleteVisitor(visitors, now(), (seqs) => relay.withhold(seqs)),
      redigest: async () => {
        const { used } = (await spool.storage()).status.spool
        // The new index needs about as much space as the old one. Keeps the old one only if that evicts nothing.
        await index.rebuild(used + 2 * index.usage().used <= environment.maxDisk * START_AT)
      },
      redigestState: () => ({ rebuild: index.progress(), last: index.lastRebuilt() }),
    },
    figures: (lastVerdict) => (withMinutes) =>
      figures.read({ ...shared, index, lastVerdict, runs: runs.list }, withMinutes),
    close: async () => {
      await Promise.all([runs.close(), maps.close()])
    },
  }
}

/** The sentence of the banner on every page of `waystation show`. */
function shownSentence(isShown: boolean, run: RecordedRun | null): string | null {
  if (!isShown) return null
  if (run === null) return 'This is a copy of a data folder. Nothing is received or sent, and nothing can change.'
  const commit = run.commit === null ? '' : ` at ${shortCommit(run.commit)}`
  return `${run.name ?? run.command}${commit} ${runEnding(run)}. Nothing is received or sent, and nothing can change.`
}
