import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { faultPoint } from '../runtime/fault-point'
import { answer, type Call, giveAnswers, plain, threadPort } from '../runtime/thread-call'
import { Ballast } from './ballast'
import { carryOut } from './carry-out'
import { holdFolder } from './hold-folder'
import { LogKeeper } from './log-keeper'
import { LogRoom } from './log-room'
import { openForWriting } from './open'
import { RecordFile } from './record-file'
import { refuseDamage } from './refuse-damage'
import type { Bounds } from './room'
import { migrate } from './schema'
import type { SpoolNews } from './spool'
import type { Submission } from './submission'
import { readUsage } from './usage'
import { SpoolWriter } from './writer'

/**
 * Group commit: while one transaction is being synced, calls queue up at the port; the next transaction takes them
 * all. Each caller is answered only after the sync that covers it.
 */
const port = threadPort()
const { folder, cap } = workerData as { readonly folder: string; readonly cap: number }

/** More than this and the first of the batch would wait for the last. */
const MAX_BATCH = 256
/** Where nothing is written for so long, what is in the log is folded. */
const IDLE_MS = 1000
/** A process that is killed forgets at most so much of its running time. */
const SAVE_TIME_MS = 60_000
/** A disk that has so much more room takes what it refused. */
const WORTH_BYTES = 1024 * 1024
/** So long a reader is waited for where the disk is full: a log that grows beside a file that cannot is the end of all room. */
const LOG_TIMEOUT_MS = 2000
/** So often it is looked whether the file is still there. */
const LOOK_MS = 1000

const release = holdFolder(folder)
const path = join(folder, 'spool.db')
const db = openForWriting(path, 'FULL')
refuseDamage(db, path)
migrate(db)
const recordFile = new RecordFile(db, path)
const logs = new LogKeeper(db, Date.now)
const logRoom = new LogRoom({ free: freeBytes, unfolded: () => logs.state.log })
const writer = new SpoolWriter(db, { cap, now: Date.now, monotonic: () => performance.now() })
const ballast = new Ballast(folder)
const { evictor } = writer

/** What is done inside a transaction, with others in one batch. */
const staged = {
  ready: () => true,
  append: (submission: Submission) => {
    logRoom.take(submission.body.length)
    return writer.append(submission)
  },
  deliver: writer.deliver.bind(writer),
  settle: writer.settle.bind(writer),
  sendAgain: writer.dead.sendAgain.bind(writer.dead),
  drop: writer.dead.drop.bind(writer.dead),
  reported: writer.reported.bind(writer),
  changed: writer.changed.bind(writer),
  limit: writer.limits.keep.bind(writer.limits),
  correctLimits: writer.limits.correct.bind(writer.limits),
  digested: writer.digested.bind(writer),
  refused: writer.refused.bind(writer),
  setting: writer.setting.bind(writer),
  owingNothing: evictor.owingNothing.bind(evictor),
  withRows: evictor.withRows.bind(evictor),
  pastDue: (upTo: number) => evictor.pastDue(writer.time.ran, upTo),
  deadLetters: evictor.deadLetters.bind(evictor),
  pending: evictor.pending.bind(evictor),
  evict: (seqs: readonly number[]) => {
    evictor.evict(seqs)
    faultPoint('evict')
  },
  rowsEvicted: evictor.rowsEvicted.bind(evictor),
  giveUp: evictor.giveUp.bind(evictor),
  expire: evictor.expire.bind(evictor),
  clear: evictor.clear.bind(evictor),
  cleared: evictor.cleared.bind(evictor),
}

/** What those that are staged go by, so it comes before them. */
const before = {
  bound: (bounds: Bounds) => {
    writer.room.bounds = bounds
  },
}

/** What cannot be done inside a transaction, or must be answered while another program keeps anybody from having one. */
const between = {
  usage: () => readUsage({ db, path, writer, log: logs.state, ballast }),
  takeBallast: () => ballast.take(),
  lighten: () => {
    const wasThere = ballast.release()
    const given = logs.empty(LOG_TIMEOUT_MS)
    return wasThere || given >= WORTH_BYTES
  },
}

port.on('message', (first: readonly Call[]) => {
  const calls = [...first]
  while (calls.length < MAX_BATCH) {
    const next = receiveMessageOnPort(port) as { message: readonly Call[] } | undefined
    if (next === undefined) break
    calls.push(...next.message)
  }
  const stop = calls.findIndex((call) => call.method === 'stop')
  const asked = stop < 0 ? calls : calls.slice(0, stop)
  for (let at = 0; at < asked.length; at += MAX_BATCH) doBatch(asked.slice(at, at + MAX_BATCH))
  idle.refresh()
  if (stop >= 0) close()
})

function doBatch(batch: readonly Call[]): void {
  const of = (methods: object): Call[] => batch.filter((call) => Object.hasOwn(methods, call.method))
  giveAnswers(
    port,
    of(before).map((call) => answer(call, before)),
  )
  commitBatch(batch.filter((call) => !Object.hasOwn(before, call.method) && !Object.hasOwn(between, call.method)))
  giveAnswers(
    port,
    of(between).map((call) => answer(call, between)),
  )
  logs.grew()
  logRoom.batchEnded()
}

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function commitBatch(batch: readonly Call[]): void {
  if (batch.length === 0) return
  try {
    const { answer: answers, facts } = carryOut(batch, staged, { db, writer })
    faultPoint('after_commit')
    writer.room.count(logs.state.log)
    giveAnswers(port, answers)
    if (facts.length > 0) port.postMessage({ news: { facts, used: writer.room.used } satisfies SpoolNews })
  } catch (error) {
    giveAnswers(
      port,
      batch.map((call) => ({ id: call.id, error: plain(error) })),
    )
  }
}

const idle = setTimeout(() => {
  logs.fold()
  // A reader that holds the log tells nobody when it goes.
  if (logs.state.heldSince !== null) idle.refresh()
}, IDLE_MS)
const saving = setInterval(saveTime, SAVE_TIME_MS)
const looking = setInterval(() => recordFile.look(), LOOK_MS)

function saveTime(): void {
  try {
    writer.commit(() => writer.time.save())
  } catch {
    // A disk that is full: what ran since counts with the next time that can be written.
    return
  }
}

function close(): void {
  clearTimeout(idle)
  clearInterval(saving)
  clearInterval(looking)
  saveTime()
  logs.empty()
  db.close()
  release()
  port.close()
}
