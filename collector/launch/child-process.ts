import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { followParent, killGroup } from './process-group.js'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** One of our two processes. It leads a process group, so that a terminal's Ctrl-C reaches the supervisor alone. */
export interface Child {
  readonly pid: number
  /** Settles when it is gone, and with it everything it started. */
  readonly exited: Promise<Exit>
  /** Sends a message; to a child that is gone already, nothing. */
  readonly tell: (message: Readonly<Record<string, unknown>>) => void
  readonly terminate: () => void
  /** Ends the whole group, at once. */
  readonly kill: () => void
}

export interface ChildPlan {
  readonly nodeFlags: readonly string[]
  readonly script: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** How long it may take to stop by itself when we die without a word. */
  readonly graceMs: number
  readonly onLine: (line: string) => void
  readonly onMessage: (message: unknown) => void
}

/** Starts a Node process that ends with us, however we end. */
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
    tell: (message) => {
      // Between its last breath and the news of it the channel is closed; `exited` tells the rest.
      if (child.connected) child.send(message, () => undefined)
    },
    terminate: () => child.kill('SIGTERM'),
    kill: () => killGroup(pid),
  }
}

/** `exit code 1`, `SIGKILL`. */
export const describeExit = ({ code, signal }: Exit): string => signal ?? `exit code ${code}`
