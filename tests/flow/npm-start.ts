import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { neutralEnvironment } from '../../collector/launch/build/build.js'
import { hasCode, isRunning } from '../../collector/launch/processes.js'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A process that a test started as in a terminal: it leads its own process group. */
export interface Started {
  readonly pid: number
  /** Everything that it and its children have printed so far. */
  readonly output: () => string
  /** The last line on standard output. */
  readonly lastLine: () => string | undefined
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Sends SIGINT to the process group, as a terminal does for Ctrl-C. */
  readonly pressCtrlC: () => void
}

const started = new Set<ChildProcess>()
const folders = new Set<string>()

/** Kills the processes that tests left running, and removes their folders. */
export function endStarted(): void {
  for (const child of started) {
    if (child.pid === undefined) continue
    killEach([...familyOf(child.pid), child.pid])
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  started.clear()
  folders.clear()
}

/** Creates a temporary folder, which `endStarted` removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-'))
  folders.add(folder)
  return folder
}

/** Starts a program in its own process group, as a terminal does. */
export function start(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Started {
  const child = spawn(program, args, {
    cwd,
    env: { ...neutralEnvironment(process.env, 'test'), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${program} cannot be started`)
  started.add(child)
  let output = ''
  const note = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', note)
  child.stderr.on('data', note)
  let stdout = ''
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  return {
    pid,
    output: () => output,
    lastLine: () => stdout.trimEnd().split('\n').at(-1),
    // `exit` may come before the last output.
    exited: new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal }))),
    pressCtrlC: () => process.kill(-pid, 'SIGINT'),
  }
}

/** Runs `npm start`, or another script of this repository, on free ports with a new data folder. */
export const npmStart = (env: Readonly<Record<string, string>> = {}, script = 'start'): Started =>
  start('npm', ['run', script], {
    cwd: ROOT,
    env: { PORT: '0', WAYSTATION_PORT: '0', WAYSTATION_OTLP_PORT: 'off', WAYSTATION_DATA: temporaryFolder(), ...env },
  })

/** The addresses in the start block, and the pids of the processes. */
export interface Announced {
  readonly appUrl: string
  readonly collectorUrl: string
  readonly supervisorPid: number
  readonly collectorPid: number
  readonly appPid: number
  /** All descendants of npm: supervisor, app, collector, and their children. */
  readonly family: readonly number[]
}

/** Waits for the start block. The timeout includes a build, because the first test may need one. */
export async function announced(npm: Started): Promise<Announced> {
  await expect.poll(npm.output, { timeout: 360_000 }).toContain('Ctrl-C stops both.')
  const address = (label: string) => new RegExp(`^ +${label} +(http\\S+)$`, 'm').exec(npm.output())?.[1] ?? ''
  const supervisorPid = oneOf(pidsBelow(npm.pid))
  // `npm run dev` has a bundler beside them.
  const below = processesBelow(supervisorPid).filter(({ command }) => !command.includes('build/watch.js'))
  const collectorPid = oneOf(below.flatMap(({ pid, command }) => (command.includes('collector/main.js') ? pid : [])))
  const appPid = oneOf(below.flatMap(({ pid }) => (pid === collectorPid ? [] : pid)))
  return {
    appUrl: address('Live'),
    collectorUrl: address('Collector'),
    supervisorPid,
    collectorPid,
    appPid,
    family: familyOf(npm.pid),
  }
}

/** The first pid. Throws if there is none: 0 would signal our own process group and end the tests silently. */
export function oneOf(pids: readonly number[]): number {
  const [pid] = pids
  if (pid === undefined) throw new Error('no such process')
  return pid
}

/** Waits until all these processes have ended and no server answers at these addresses. */
export async function nothingLeft(family: readonly number[], urls: readonly string[]): Promise<void> {
  await expect.poll(() => family.filter((pid) => isRunning(pid))).toEqual([])
  for (const url of urls) await expect(fetch(url)).rejects.toThrow('fetch failed')
}

/** All processes below this one. */
export function familyOf(pid: number): number[] {
  return pidsBelow(pid).flatMap((child) => [child, ...familyOf(child)])
}

const pidsBelow = (parent: number): number[] => processesBelow(parent).map(({ pid }) => pid)

/** The children of a process, with their commands: read at once, because any of them may end at any moment. */
function processesBelow(parent: number): { readonly pid: number; readonly command: string }[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return [...table.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)].flatMap(([, pid, ppid, command = '']) =>
    Number(ppid) === parent ? { pid: Number(pid), command } : [],
  )
}

/** Sends a signal to each process. Ignores processes that have ended. */
export function killEach(pids: readonly number[], signal: NodeJS.Signals = 'SIGKILL'): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal)
    } catch (cause) {
      if (!hasCode(cause, 'ESRCH')) throw cause
    }
}
