import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { neutralEnvironment } from '../../collector/launch/build.js'
import { hasCode, isRunning } from '../../collector/launch/processes.js'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A process that a test started as a person would in a terminal: it leads a process group of its own. */
export interface Started {
  readonly pid: number
  /** What it and its children have printed so far. */
  readonly output: () => string
  /** Of what went to standard output. */
  readonly lastLine: () => string | undefined
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Ctrl-C: the terminal signals the whole group in front. */
  readonly pressCtrlC: () => void
}

const started = new Set<ChildProcess>()
const folders = new Set<string>()

/** Ends what the tests left running, and removes their folders. */
export function endStarted(): void {
  for (const child of started) {
    if (child.pid === undefined) continue
    killEach([...familyOf(child.pid), child.pid])
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  started.clear()
  folders.clear()
}

/** A folder of the test's own. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-'))
  folders.add(folder)
  return folder
}

/** Starts a program in front of an imagined terminal. */
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
    // `exit` may come before the last of what was written.
    exited: new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal }))),
    pressCtrlC: () => process.kill(-pid, 'SIGINT'),
  }
}

/** `npm start`, or another script, in this repository, on free ports, with a data folder of its own. */
export const npmStart = (env: Readonly<Record<string, string>> = {}, script = 'start'): Started =>
  start('npm', ['run', script], {
    cwd: ROOT,
    env: { PORT: '0', WAYSTATION_PORT: '0', WAYSTATION_DATA: temporaryFolder(), ...env },
  })

/** What the start block says, once it is there. */
export interface Announced {
  readonly appUrl: string
  readonly collectorUrl: string
  readonly supervisorPid: number
  readonly collectorPid: number
  readonly appPid: number
  /** Every process below npm: supervisor, app, collector, and theirs. */
  readonly family: readonly number[]
}

/** Waits for the start block; longer than a build takes, for the first test may have to wait for one. */
export async function announced(npm: Started): Promise<Announced> {
  await expect.poll(npm.output, { timeout: 120_000 }).toContain('Ctrl-C stops both.')
  const address = (label: string) => new RegExp(`^ +${label} +(http\\S+)$`, 'm').exec(npm.output())?.[1] ?? ''
  const supervisorPid = oneOf(childrenOf(npm.pid))
  const below = childrenOf(supervisorPid)
  const collectorPid = oneOf(below.filter((pid) => commandOf(pid).includes('collector/main.js')))
  const appPid = oneOf(below.filter((pid) => pid !== collectorPid))
  return {
    appUrl: address('Home'),
    collectorUrl: address('Collector'),
    supervisorPid,
    collectorPid,
    appPid,
    family: familyOf(npm.pid),
  }
}

/** Nobody is no number: a signal to process 0 goes to our own group, and ends the tests without a word. */
export function oneOf(pids: readonly number[]): number {
  const [pid] = pids
  if (pid === undefined) throw new Error('a process that was announced is not there')
  return pid
}

/** Waits until none of these processes is left and nobody answers at these addresses. */
export async function nothingLeft(family: readonly number[], urls: readonly string[]): Promise<void> {
  await expect.poll(() => family.filter((pid) => isRunning(pid)), { timeout: 30_000 }).toEqual([])
  for (const url of urls) await expect(fetch(url)).rejects.toThrow('fetch failed')
}

/** All processes below this one. */
export function familyOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...familyOf(child)])
}

function childrenOf(parent: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid = 0]) => pid)
}

const commandOf = (pid: number): string => execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8' })

/** SIGKILL to each. Who follows a parent that was killed may be gone before its turn, which is what was wanted. */
export function killEach(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL')
    } catch (cause) {
      if (!hasCode(cause, 'ESRCH')) throw cause
    }
}
