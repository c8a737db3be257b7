import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleOf } from '../../collector/cli/commands.js'
import { temporaryFolder } from './collector-process'

/** A running command. */
export interface RunningCommand {
  readonly child: ChildProcess
  /** Resolves as soon as the program has printed this. */
  readonly printed: (text: string) => Promise<void>
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
}

/**
 * Runs the bundled command without the set-up, and without a terminal.
 * @param collectors folder of another collector to start
 */
export function startCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  collectors?: string,
  cwd?: string,
): RunningCommand {
  const child = spawn(process.execPath, commandArguments(words, env.WAYSTATION_DATA ?? '', collectors), {
    cwd,
    env: { NODE_ENV: 'production', PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  return { child, ...follow(child) }
}

/** The arguments of Node that run the bundled command. @param root the folder of its `.env` files */
export function commandArguments(words: readonly string[], root: string, collectors?: string): string[] {
  const bundles = join(process.env.WAYSTATION_BUILD ?? '', 'collector')
  const program = `
    import { command } from ${JSON.stringify(pathToFileURL(join(bundles, bundleOf(words[0] ?? 'run'))).href)}
    import { exitWhenWritten } from ${JSON.stringify(new URL('../../collector/launch/command-output.js', import.meta.url).href)}
    import { listenForStop } from ${JSON.stringify(new URL('../../collector/launch/stop-requests.js', import.meta.url).href)}
    const [root, bundles, ...words] = process.argv.slice(1)
    await exitWhenWritten(await command({ root, bundles, words, stop: listenForStop() }))`
  return ['--input-type=module', '-e', program, '--', root, collectors ?? bundles, ...words]
}

/** `waystation run` with these arguments, and a new folder unless one is named. */
export const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCommand =>
  startCommand(['run', ...words], { WAYSTATION_DATA: temporaryFolder(), ...env })

/** The arguments that run a Node program. */
export const node = (program: string): readonly string[] => ['--', process.execPath, '-e', program]

/** A Python program that runs its arguments in a terminal of their own, and types Ctrl-C when they have printed `up`. */
export const TERMINAL = `
import os, pty, sys
pid, tty = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
seen, typed = b'', False
while True:
    try: more = os.read(tty, 4096)
    except OSError: break
    if not more: break
    seen += more
    if b'up' in seen and not typed:
        typed = True
        os.write(tty, b'\\x03')
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`

/** The folders of all recordings in a data folder. */
export const recordingsIn = (data: string): readonly string[] =>
  existsSync(join(data, 'runs')) ? readdirSync(join(data, 'runs')).map((name) => join(data, 'runs', name)) : []

function follow(child: ChildProcess): Omit<RunningCommand, 'child'> {
  const output = { out: '', err: '' }
  child.stdout?.on('data', (chunk: Buffer) => {
    output.out += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    output.err += chunk.toString()
  })
  const printed = async (text: string): Promise<void> => {
    while (!output.out.includes(text)) {
      if (child.exitCode !== null || child.stdout === null)
        throw new Error(`the command ended before it printed ${JSON.stringify(text)}: ${JSON.stringify(output)}`)
      await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
    }
  }
  const ended = once(child, 'close').then(([code]: unknown[]) => ({
    code: typeof code === 'number' ? code : null,
    ...output,
  }))
  return { printed, ended }
}
