import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { colouredText, plainText } from '../../lib/format'
import { withTimeout } from '../../lib/time'
import { followParent, killGroup } from './processes.js'
import { INTERRUPTED, type StopRequests } from './stop-requests.js'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A child process that leads a process group, so that Ctrl-C in a terminal signals the supervisor only. */
export interface Child {
  readonly pid: number
  /** Resolves when the process and its whole group have ended. */
  readonly exited: Promise<Exit>
  readonly send: (message: Readonly<Record<string, unknown>>) => void
  readonly terminate: () => void
  readonly kill: () => void
}

interface ChildPlan {
  readonly nodeFlags: readonly string[]
  readonly script: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly graceMs: number
  readonly onLine: (line: string) => void
  readonly onMessage: (message: unknown) => void
}

export function startChild(plan: ChildPlan): Child {
  const child = spawn(process.execPath, [...followParent(plan.graceMs), ...plan.nodeFlags, plan.script, ...plan.args], {
    cwd: plan.cwd,
    env: plan.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${process.execPath} cannot be started`)
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', plan.onLine)
  }
  child.on('message', plan.onMessage)
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      killGroup(pid)
      resolve({ code, signal })
    })
  })
  return {
    pid,
    exited,
    send: (message) => {
      // The channel closes a moment before `exited` resolves: ignore errors in between.
      if (child.connected) child.send(message, () => undefined)
    },
    terminate: () => child.kill('SIGTERM'),
    kill: () => killGroup(pid),
  }
}

export const describeExit = ({ code, signal }: Exit): string => signal ?? `exit code ${code}`

/** A child process that reports when it is ready. */
export interface RunningChild<Ready> {
  readonly child: Child
  readonly ready: Promise<Ready>
  readonly stop: () => void
}

interface StopStep extends Pick<RunningChild<unknown>, 'child' | 'stop'> {
  readonly withinMs: number
}

/** One after the other. Kills each that takes too long, or all at once (`force`). @returns false after a kill */
export async function stopInOrder(steps: readonly StopStep[], force: AbortSignal): Promise<boolean> {
  let clean = true
  const killAll = () => {
    clean = false
    for (const { child } of steps) child.kill()
  }
  if (force.aborted) killAll()
  force.addEventListener('abort', killAll, { once: true })
  for (const { child, stop, withinMs } of steps) {
    stop()
    if ((await withTimeout(child.exited, withinMs, null)) !== null) continue
    clean = false
    child.kill()
    await child.exited
  }
  force.removeEventListener('abort', killAll)
  return clean
}

/** Why processes that are watched are stopped, and how. */
interface Ending {
  /** `null`: a request to stop. */
  readonly failure: string | null
  readonly stop: StopRequests
  /** @returns false after a kill */
  readonly stopAll: (force: AbortSignal) => Promise<boolean>
  /** The subject of the sentence about a kill. */
  readonly who: string
}

/** Stops what was started and prints how it ended. @returns the exit code */
export async function endAll({ failure, stop, stopAll, who }: Ending): Promise<number> {
  // A terminal prints ^C at the cursor.
  const lineFeed = process.stderr.isTTY && stop.first.reason === 'interrupted' ? '\n' : ''
  console.error(failure === null ? `${lineFeed}Stopping …` : plainText(failure))
  const clean = await stopAll(stop.again)
  if (stop.again.aborted) return INTERRUPTED
  console.error(clean ? 'Stopped.' : `${who} did not stop in time and was killed; acknowledged envelopes are on disk.`)
  return failure === null && clean ? 0 : 1
}

const BUFFERED_LINES = 200

/**
 * The output of a child without control characters except colours: buffered while it starts, so that the start block stays
 * readable, then passed through.
 */
export interface BufferedLines {
  readonly add: (line: string) => void
  readonly passThrough: () => void
  /** Prints the buffered lines: for a child that did not start, they are the only explanation. */
  readonly flush: () => void
}

export function bufferLines(name: string, write: (line: string) => void): BufferedLines {
  let buffer: string[] | null = []
  const print = (line: string) => {
    // Next prints control characters for the cursor when it ends.
    if (line === '' || stripVTControlCharacters(line) !== '') write(`${name} | ${colouredText(line)}`)
  }
  return {
    add: (line) => {
      if (buffer === null) return print(line)
      buffer.push(line)
      if (buffer.length > BUFFERED_LINES) buffer.shift()
    },
    passThrough: () => {
      buffer = null
    },
    flush: () => {
      const lines = buffer ?? []
      buffer = null
      for (const line of lines) print(line)
    },
  }
}
