import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'

/** How much of a log is read back to explain a failed step. */
const LOG_TAIL_CHARACTERS = 256 * 1024
const PROGRESS_EVERY_MS = 10_000

/** Is this an error of the operating system with one of these codes? @param {unknown} cause @param {...string} codes */
export const hasCode = (cause, ...codes) =>
  cause instanceof Error && 'code' in cause && codes.includes(String(cause.code))

/**
 * Is there a running process with this pid? A zombie does not run: a container without an init process keeps killed
 * processes as zombies.
 * @param {number} pid
 */
export function isRunning(pid) {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (cause) {
    // EPERM: it runs as another user.
    return hasCode(cause, 'EPERM')
  }
}

/**
 * Node flags for a child process that ends when this process ends, even after SIGKILL. Spawn the child `detached`, so
 * that it leads a process group, and with an `ipc` channel.
 *
 * `follow-parent.js` lies next to this file in the sources and in the bundles.
 * @param {number} graceMs time to stop on SIGTERM; 0 kills the group at once
 * @returns {string[]}
 */
export const followParent = (graceMs) => [
  '--import',
  new URL(`./follow-parent.js?parent=${process.pid}&grace=${graceMs}`, import.meta.url).href,
]

/** Sends SIGKILL to a process group. Does nothing when the group is gone. @param {number | undefined} leader */
export function killGroup(leader) {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (cause) {
    // macOS answers EPERM for a group of zombies.
    if (!hasCode(cause, 'ESRCH', 'EPERM')) throw cause
  }
}

/**
 * How a step ended. `why` is a sentence without its full stop.
 * @typedef {{ ended: 'done' } | { ended: 'stopped' } | { ended: 'failed', why: string }} SetUpEnd
 * `log` is the end of the output of a failed program.
 * @typedef {{ ended: 'done' } | { ended: 'stopped' } | { ended: 'failed', log: string }} StepEnd
 */

/**
 * Runs a program in its own process group and waits for it; stopping kills the whole group.
 * @param {{
 *   program?: string,
 *   args: readonly string[],
 *   cwd: string,
 *   env: NodeJS.ProcessEnv,
 *   logFile: string | null,
 *   stop: AbortSignal,
 * }} step `program` is Node by default; `logFile: null` shows the output
 * @returns {Promise<StepEnd>}
 */
export function runStep({ program = process.execPath, args, cwd, env, logFile, stop }) {
  if (stop.aborted) return Promise.resolve({ ended: 'stopped' })
  const log = logFile === null ? null : openSync(logFile, 'a')
  const output = log ?? 'inherit'
  const flags = program === process.execPath ? followParent(0) : []
  const child = spawn(program, [...flags, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  })
  if (log !== null) closeSync(log)
  const kill = () => killGroup(child.pid)
  stop.addEventListener('abort', kill)
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve({ ended: 'failed', log: cause.message }))
    child.once('exit', (code) => {
      stop.removeEventListener('abort', kill)
      // A process that a failed step left behind would write into the folders of the next step.
      killGroup(child.pid)
      if (stop.aborted) resolve({ ended: 'stopped' })
      else if (code === 0) resolve({ ended: 'done' })
      else
        resolve({
          ended: 'failed',
          log: logFile === null ? '' : readFileSync(logFile, 'utf8').slice(-LOG_TAIL_CHARACTERS),
        })
    })
  })
}

/**
 * Prints that a long step has begun, a line every ten seconds, and how it ended.
 * @param {string} doing for example `Building`
 * @returns {(done: string) => void} prints the last line, for example `Built (42 s)`
 */
export function beginProgress(doing) {
  const began = performance.now()
  const seconds = () => Math.round((performance.now() - began) / 1000)
  console.log(`${doing} …`)
  const ticking = setInterval(() => console.log(`${doing} … ${seconds()} s`), PROGRESS_EVERY_MS)
  return (done) => {
    clearInterval(ticking)
    console.log(`${done} (${seconds()} s)`)
  }
}
