import { appendFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { FaultPoint } from '../../collector/runtime/fault-point'

/**
 * Stands in the place of `collector/runtime/fault-point` in the suite's own bundle: `FAULT_AT=digest:3` ends the process when
 * `digest` is passed for the third time. Each firing is a line in the file that `FAULT_LOG` names, written before the
 * end: the end itself leaves no trace of where it was.
 */
const [wanted = '', nth = '1'] = (process.env.FAULT_AT ?? '').split(':')
const log = process.env.FAULT_LOG ?? ''
let passed = 0

/** Asleep, running, over: what the checkpoint's killer reads to know that it is inside. */
const CHECKPOINT = new Int32Array(new SharedArrayBuffer(4))
const RUNNING = 1
const OVER = 2

/** Longer than this after its begin no checkpoint of the suite's load goes on. */
const LATEST_US = 3000

let armed = false

export function faultPoint(point: FaultPoint): void {
  if (point === 'checkpointed' && armed) leaveCheckpoint()
  if (point !== wanted) return
  passed += 1
  if (passed !== Number(nth)) return
  if (point === 'checkpoint') {
    enterCheckpoint()
  } else {
    appendFileSync(log, `${point}\n`)
    end()
  }
}

function end(): never {
  process.kill(process.pid, 'SIGKILL')
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

/** SQLite's call keeps this thread busy, so another one ends the process while it goes on. */
function enterCheckpoint(): void {
  armed = true
  const started = new Int32Array(new SharedArrayBuffer(4))
  new Worker(KILLER, {
    eval: true,
    workerData: { state: CHECKPOINT, started, log, afterUs: Math.random() * LATEST_US },
  })
  // The killer has to be awake before the checkpoint begins.
  Atomics.wait(started, 0, 0)
  Atomics.store(CHECKPOINT, 0, RUNNING)
  Atomics.notify(CHECKPOINT, 0)
}

function leaveCheckpoint(): void {
  Atomics.store(CHECKPOINT, 0, OVER)
  for (;;) Atomics.wait(CHECKPOINT, 0, OVER)
}

const KILLER = `
const { workerData: { state, started, log, afterUs } } = require('node:worker_threads')
const { appendFileSync } = require('node:fs')
const over = () => Atomics.load(state, 0) === ${OVER}
Atomics.store(started, 0, 1)
Atomics.notify(started, 0)
Atomics.wait(state, 0, 0)
const until = process.hrtime.bigint() + BigInt(Math.round(afterUs * 1000))
while (process.hrtime.bigint() < until && !over());
appendFileSync(log, over() ? 'checkpoint missed\\n' : 'checkpoint\\n')
process.kill(process.pid, 'SIGKILL')
`
