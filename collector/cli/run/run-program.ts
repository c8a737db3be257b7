import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { RUN_FOLDER_VARIABLE } from '../../../lib/kit/run-file'
import { hasCode } from '../../launch/processes.js'
import { ECHO_MS } from '../../launch/stop-requests.js'
import { type RanBrowser, watchDescendants } from './run-descendants'

/** Signals with which a terminal, a shell or a CI job ends a program. */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type Forwarded = (typeof FORWARDED)[number]

/** How the program ended, with the exit code that a shell would report. */
export type ProgramEnd =
  | {
      readonly ended: 'exited'
      readonly code: number
      readonly signal: NodeJS.Signals | null
      readonly browser: RanBrowser | null
    }
  | { readonly ended: 'not started'; readonly code: 126 | 127; readonly message: string }

/**
 * Runs a program, forwards signals to it, and ends the processes that it leaves running. Without a terminal it leads a
 * process group of its own.
 */
export function runProgram(given: {
  readonly program: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** With the reason `orphaned`, the program gets SIGTERM. */
  readonly stop: AbortSignal
  readonly onStarted: () => void
  /** Called after the program: how many of its processes had to be ended, or why that failed. */
  readonly onLeft: (left: number | Error) => void
}): Promise<ProgramEnd> {
  const { program, args, env, stop, onStarted, onLeft } = given
  return new Promise((resolve, reject) => {
    // A terminal signals only its foreground group, and only that group may read from it.
    const leadsGroup = !ownsTerminal()
    const child = trySpawn(() => spawn(program, args, { stdio: 'inherit', env, detached: leadsGroup }))
    if (child instanceof Error) {
      resolve(notStarted(program, child))
      return
    }
    const force = new AbortController()
    const send = (signal: Forwarded): void => {
      if (child.exitCode !== null || child.signalCode !== null) force.abort()
      else if (leadsGroup && child.pid !== undefined) signalGroup(child.pid, signal)
      else child.kill(signal)
    }
    const forwarding = forwardSignals(send, () => !leadsGroup && ownsTerminal())
    const orphaned = () => stop.reason === 'orphaned' && send('SIGTERM')
    stop.addEventListener('abort', orphaned)
    const end = (how: ProgramEnd) => {
      forwarding.stop()
      stop.removeEventListener('abort', orphaned)
      resolve(how)
    }
    const descendants = child.pid === undefined ? null : watchDescendants(child.pid, { leadsGroup })
    child.once('spawn', onStarted)
    child.once('error', (cause) => end(notStarted(program, cause)))
    child.once('exit', (code, signal) => {
      const ending = descendants?.end(force.signal) ?? Promise.resolve(0)
      ending
        .then(onLeft, (cause: unknown) => onLeft(cause instanceof Error ? cause : new Error(String(cause))))
        .then(
          () => end({ ended: 'exited', code: exitCode(code, signal), signal, browser: descendants?.browser() ?? null }),
          reject,
        )
    })
  })
}

function signalGroup(leader: number, signal: Forwarded): void {
  try {
    process.kill(-leader, signal)
  } catch (cause) {
    // macOS answers EPERM for a group of zombies.
    if (!hasCode(cause, 'ESRCH', 'EPERM')) throw cause
  }
}

/** Node reports some failures as an event and throws others, such as ENOTDIR. */
function trySpawn(spawning: () => ChildProcess): ChildProcess | Error {
  try {
    return spawning()
  } catch (cause) {
    if (cause instanceof Error) return cause
    throw cause
  }
}

/** As in a shell: 128 and the number of the signal. */
const exitCode = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal])

function notStarted(program: string, cause: Error): ProgramEnd {
  const name = JSON.stringify(program)
  if (hasCode(cause, 'ENOENT')) {
    const where = program.includes('/') ? 'there is no such file' : 'it is not on the PATH'
    const hint = /\s/.test(program) ? ` Write program and arguments without quotes: waystation run -- ${program}` : ''
    return { ended: 'not started', code: 127, message: `${name} cannot be run: ${where}.${hint}` }
  }
  const why = hasCode(cause, 'EACCES') ? 'this user may not execute it' : cause.message
  return { ended: 'not started', code: 126, message: `${name} cannot be run: ${why}.` }
}

/** @param isSignalled whether the terminal sends Ctrl-C to the program as well */
function forwardSignals(send: (signal: Forwarded) => void, isSignalled: () => boolean): { readonly stop: () => void } {
  const last = new Map<Forwarded, number>()
  const listeners = FORWARDED.map((signal) => {
    const listener = () => {
      const before = last.get(signal)
      last.set(signal, performance.now())
      // npm sends us a second SIGINT.
      if (before === undefined ? signal === 'SIGINT' && isSignalled() : performance.now() - before < ECHO_MS) return
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

/** Whether our process group is in the foreground of the terminal, which then signals the program itself. */
function ownsTerminal(): boolean {
  if (process.platform !== 'linux') return process.stdin.isTTY === true
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // After the name, which may contain spaces and brackets: state, parent, group, session, terminal, foreground group.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return group === foreground
}

type Variables = Readonly<Record<string, string | undefined>>

/** Prefixes of variables that build tools write into pages. */
export const CLIENT_PREFIXES = [
  'NEXT_PUBLIC_',
  'VITE_',
  'PUBLIC_',
  'REACT_APP_',
  'NUXT_PUBLIC_',
  'EXPO_PUBLIC_',
  'GATSBY_',
  'VUE_APP_',
] as const

const DSN_VARIABLES: readonly string[] = [
  // Apps on the path read it first, so that a DSN of Sentry in their environment does not lead past the collector.
  'WAYSTATION_DSN',
  'SENTRY_DSN',
  ...CLIENT_PREFIXES.map((prefix) => `${prefix}SENTRY_DSN`),
]

/** Variables of OpenTelemetry that would send one signal elsewhere, or by a protocol that the collector does not speak. */
const OTLP_OVERRIDES: readonly string[] = ['TRACES', 'LOGS', 'METRICS'].flatMap((signal) => [
  `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`,
  `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`,
])

/** Hosts without a proxy. Not ::1: our DSNs do not contain it, and old HTTP libraries parse it as a port. */
const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost']
const NO_PROXY: readonly string[] = ['NO_PROXY', 'no_proxy']
/** In upper and lower case, because programs differ. */
const PROXIES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
])

export const proxiesOf = (own: Variables): readonly string[] => PROXIES.filter((name) => own[name])

/** The hosts without a proxy: those of the environment, and this machine. */
function withoutProxy(own: Variables): string {
  const before = NO_PROXY.flatMap((name) => (own[name] ?? '').split(',').map((host) => host.trim()))
  // `*` counts only when it is alone.
  if (before.includes('*')) return '*'
  return [...new Set([...before, ...LOOPBACK])].filter((host) => host !== '').join(',')
}

/**
 * @param own variables of the shell, without our `.env` files
 * @param given.suite the folder for files of a test suite
 */
export const programEnvironment = (
  own: Variables,
  { localDsn, url, suite }: { readonly localDsn: string; readonly url: string; readonly suite: string },
): Record<string, string | undefined> => ({
  ...own,
  ...Object.fromEntries(DSN_VARIABLES.map((name) => [name, localDsn])),
  ...Object.fromEntries(NO_PROXY.map((name) => [name, withoutProxy(own)])),
  ...Object.fromEntries(OTLP_OVERRIDES.map((name) => [name, undefined])),
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
  WAYSTATION_COLLECTOR_URL: url,
  [RUN_FOLDER_VARIABLE]: suite,
})
