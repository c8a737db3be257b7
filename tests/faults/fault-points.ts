import { appendFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { FaultPoint } from '../../collector/runtime/fault-point'

/**
 * Replaces `collector/runtime/fault-point` in the bundle of this suite: `FAULT_AT=digest:3` ends the process at the third
 * pass of `digest`. The point is first written to the file `FAULT_LOG`, because a SIGKILL leaves no trace.
 */
const [target = '', nth = '1'] = (process.env.FAULT_AT ?? '').split(':')
const log = process.env.FAULT_LOG ?? ''
let passed = 0

/** 0, RUNNING or OVER: tells the killer thread whether the checkpoint is under way. */
const CHECKPOINT = new Int32Array(new SharedArrayBuffer(4))
const RUNNING = 1
const OVER = 2

/** No checkpoint under the load of this suite takes longer. */
const LATEST_US = 3000

let armed = false

export function faultPoint(point: FaultPoint): void {
  if (point === 'checkpointed' && armed) leaveCheckpoint()
  if (point !== target) return
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

/** SQLite's call blocks this thread, so another thread ends the process during the checkpoint. */
function enterCheckpoint(): void {
  armed = true
  const started = new Int32Array(new SharedArrayBuffer(4))
  new Worker(KILLER, {
    eval: true,
    workerData: { state: CHECKPOINT, started, log, afterUs: Math.random() * LATEST_US },
  })
  // The killer thread must run before the checkpoint begins.
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
