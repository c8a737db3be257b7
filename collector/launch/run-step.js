import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { followParent, killGroup } from './process-group.js'

/** How much of a log is read back to find out why a step failed. */
const TAIL_CHARACTERS = 256 * 1024

/**
 * How a step ended; `log` is the end of what it wrote.
 * @typedef {{ ended: 'done' } | { ended: 'stopped' } | { ended: 'failed', code: number | null, log: string }} StepEnd
 */

/**
 * How a part of the set-up ended; `why` is a sentence without its full stop.
 * @typedef {{ ended: 'done' } | { ended: 'stopped' } | { ended: 'failed', why: string }} SetUpEnd
 */

/**
 * Runs one Node program of the set-up in a process group of its own, so that stopping takes its compilers along.
 * @param {{
 *   script: string,
 *   args: readonly string[],
 *   cwd: string,
 *   env: NodeJS.ProcessEnv,
 *   logFile: string | null,
 *   stop: AbortSignal,
 * }} step `logFile: null` shows the output instead of keeping it
 * @returns {Promise<StepEnd>}
 */
export function runStep({ script, args, cwd, env, logFile, stop }) {
  if (stop.aborted) return Promise.resolve({ ended: 'stopped' })
  const log = logFile === null ? null : openSync(logFile, 'a')
  const output = log ?? 'inherit'
  const child = spawn(process.execPath, [...followParent(0), script, ...args], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  })
  if (log !== null) closeSync(log)
  const kill = () => killGroup(child.pid)
  stop.addEventListener('abort', kill)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      stop.removeEventListener('abort', kill)
      // What a failed step left running would still write into the folders the next one uses.
      killGroup(child.pid)
      if (stop.aborted) resolve({ ended: 'stopped' })
      else if (code === 0) resolve({ ended: 'done' })
      else
        resolve({
          ended: 'failed',
          code,
          log: logFile === null ? '' : readFileSync(logFile, 'utf8').slice(-TAIL_CHARACTERS),
        })
    })
  })
}
