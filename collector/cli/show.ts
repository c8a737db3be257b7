import { plainText } from '../../lib/format'
import { type Result, succeed } from '../../lib/protocol/result'
import { sleep } from '../../lib/time'
import { loadEnvironmentFiles } from '../launch/environment-files'
import { openBrowser } from '../launch/open-browser'
import { portState } from '../launch/ports'
import { shownEnvironment } from '../launch/recorder-environment'
import { superviseBoards } from '../launch/start-boards'
import { readCollectorSettings } from '../launch/start-settings'
import type { RunManifest } from '../runs/manifest'
import { openRun } from '../runs/open-run'
import { type ArgumentError, helpOrRefuse, parseArguments, readPort, readRunPath } from './arguments'
import { type CommandInput, refuse } from './collector-connection'
import { NO_COLLECTOR } from './exit-codes'
import { SHOW_FLAGS } from './flags.js'

/** `waystation show`: the boards on a saved run, until Ctrl-C. Returns the exit code. */
export async function command({ root, bundles, words, stop }: CommandInput): Promise<number> {
  const read = readShowArguments(words.slice(1))
  if (!read.ok) return helpOrRefuse('show', read.error)
  const { path, open } = read.value
  loadEnvironmentFiles(root, false)
  const run = await openRun(path, { log: (line) => console.error(plainText(line)) })
  if (!run.ok) return refuse(NO_COLLECTOR, [run.error])
  try {
    const port = read.value.port ?? (await portOf(run.value.manifest))
    const env = shownEnvironment(run.value.folder, port)
    const settings = await readCollectorSettings(root, env)
    if (!settings.ok) return refuse(settings.error.code, settings.error.messages)
    return await superviseBoards({
      root,
      bundles,
      settings: settings.value,
      env,
      stop,
      sleep,
      isShown: true,
      onReady: (url) => {
        if (open) openBrowser(url)
      },
    })
  } finally {
    run.value.close()
  }
}

/** Links in reports of the run name this port. @returns 0, any free one, when it is taken */
async function portOf(manifest: RunManifest | null): Promise<number> {
  const port = manifest !== null && URL.canParse(manifest.url) ? Number(new URL(manifest.url).port) : 0
  return port !== 0 && (await portState(port, LOOPBACK)) === 'free' ? port : 0
}

const LOOPBACK = ['127.0.0.1']

interface ShowArguments {
  readonly path: string
  /** `null` for that of the run, if it is free. */
  readonly port: number | null
  readonly open: boolean
}

/** @returns a message for a wrong argument */
export function readShowArguments(args: readonly string[]): Result<ShowArguments, ArgumentError> {
  const parsed = parseArguments(args, SHOW_FLAGS)
  if (!parsed.ok) return parsed
  const { has, positionals } = parsed.value
  const path = readRunPath('show', positionals)
  if (!path.ok) return path
  const port = readPort(parsed.value)
  return port.ok ? succeed({ path: path.value, port: port.value, open: has('--open') }) : port
}
