import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { hasCode } from '../launch/processes.js'
import { ECHO_MS } from '../launch/stop-requests.js'

/** What a terminal, a shell or a CI job ends a program with. */
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type Passed = (typeof PASSED_ON)[number]

/** How the program ended: as a shell would say it, or that it could not be begun. */
export type ProgramEnd =
  | { readonly ended: 'exited'; readonly code: number; readonly signal: NodeJS.Signals | null }
  | { readonly ended: 'not-begun'; readonly code: 126 | 127; readonly sentence: string }

/**
 * Runs a program with our own streams, and hands it the signals that we get: it decides what they mean.
 * @param asked aborts when whoever started us is gone
 */
export function runProgram(given: {
  readonly program: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly asked: AbortSignal
  /** Is told once it runs. */
  readonly onBegun: () => void
}): Promise<ProgramEnd> {
  const { program, args, env, asked, onBegun } = given
  return new Promise((resolve) => {
    const child = begin(() => spawn(program, args, { stdio: 'inherit', env }))
    if (child instanceof Error) {
      resolve(notBegun(program, child))
      return
    }
    const pass = passSignals((signal) => child.kill(signal))
    const orphaned = () => asked.reason === 'orphaned' && child.kill('SIGTERM')
    asked.addEventListener('abort', orphaned)
    const end = (how: ProgramEnd) => {
      pass.stop()
      asked.removeEventListener('abort', orphaned)
      resolve(how)
    }
    child.once('spawn', onBegun)
    child.once('error', (cause) => end(notBegun(program, cause)))
    child.once('exit', (code, signal) => end({ ended: 'exited', code: exitCode(code, signal), signal }))
  })
}

/** Node tells of some failures by an event and throws the others, such as a file where a folder belongs. */
function begin(spawning: () => ChildProcess): ChildProcess | Error {
  try {
    return spawning()
  } catch (cause) {
    if (cause instanceof Error) return cause
    throw cause
  }
}

/** As shells count: a program that a signal ended has 128 and the signal's number. */
const exitCode = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal])

function notBegun(program: string, cause: Error): ProgramEnd {
  const name = JSON.stringify(program)
  if (hasCode(cause, 'ENOENT')) {
    const where = program.includes('/') ? 'there is no such file' : 'it is in no folder of PATH'
    const words = /\s/.test(program)
      ? ` Program and arguments are words of their own: waystation run -- ${program}`
      : ''
    return { ended: 'not-begun', code: 127, sentence: `${name} cannot be run: ${where}.${words}` }
  }
  const why = hasCode(cause, 'EACCES') ? 'this user may not execute it' : cause.message
  return { ended: 'not-begun', code: 126, sentence: `${name} cannot be run: ${why}.` }
}

function passSignals(send: (signal: Passed) => void): { readonly stop: () => void } {
  const last = new Map<Passed, number>()
  const listeners = PASSED_ON.map((signal) => {
    const listener = () => {
      const before = last.get(signal)
      last.set(signal, performance.now())
      // A terminal sends Ctrl-C to the program as well as to us, and npm sends us a second one.
      if (before === undefined ? signal === 'SIGINT' && ownsTerminal() : performance.now() - before < ECHO_MS) return
      send(signal)
    }
    process.on(signal, listener)
    return { signal, listener }
  })
  return {
    stop: () => {
      for (const { signal, listener } of listeners) process.off(signal, listener)
    },
  }
}

/** Is ours the process group that the terminal's keys go to? */
function ownsTerminal(): boolean {
  if (process.platform !== 'linux') return process.stdin.isTTY === true
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // Behind the name, which may itself hold spaces and brackets: state, parent, group, session, terminal, its group.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return group === foreground
}
