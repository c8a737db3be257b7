import { resolve } from 'node:path'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { sleep } from '../../lib/time'
import { loadEnvironmentFiles } from '../launch/environment-files'
import { openBrowser } from '../launch/open-browser'
import { superviseBoards } from '../launch/start-boards'
import { readCollectorSettings } from '../launch/start-settings'
import { type ArgumentError, helpOrRefuse, parseArguments, readPort } from './arguments'
import { type CommandInput, refuse } from './collector-connection'
import { START_FLAGS } from './flags.js'

/** `waystation start`: a collector with its boards, until Ctrl-C. Returns the exit code. */
export async function command({ root, bundles, words, stop }: CommandInput): Promise<number> {
  const read = readStartArguments(words.slice(1))
  if (!read.ok) return helpOrRefuse('start', read.error)
  const { port, data, open } = read.value
  loadEnvironmentFiles(root, false)
  const env = {
    ...process.env,
    ...(port !== null && { WAYSTATION_PORT: String(port) }),
    // A relative folder belongs to the current folder of the shell.
    ...(data !== null && { WAYSTATION_DATA: resolve(data) }),
  }
  const settings = await readCollectorSettings(root, env)
  if (!settings.ok) return refuse(settings.error.code, settings.error.messages)
  return superviseBoards({
    root,
    bundles,
    settings: settings.value,
    env,
    stop,
    sleep,
    onReady: (url) => {
      if (open) openBrowser(url)
    },
  })
}

interface StartArguments {
  readonly port: number | null
  readonly data: string | null
  readonly open: boolean
}

/** @returns a message for a wrong argument */
export function readStartArguments(args: readonly string[]): Result<StartArguments, ArgumentError> {
  const parsed = parseArguments(args, START_FLAGS)
  if (!parsed.ok) return parsed
  const { value, has, positionals } = parsed.value
  if (positionals.length > 0) return fail(`start takes no arguments, got ${JSON.stringify(positionals[0])}`)
  const port = readPort(parsed.value)
  return port.ok ? succeed({ port: port.value, data: value('--data'), open: has('--open') }) : port
}
