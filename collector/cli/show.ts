import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { sleep } from '../../lib/time'
import { openRun } from '../archive/open-run'
import { loadEnvironmentFiles } from '../launch/environment-files'
import { openBrowser } from '../launch/open-browser'
import { superviseBoards } from '../launch/start-boards'
import { readCollectorSettings } from '../launch/start-settings'
import { parseArguments, readPort } from './arguments'
import { type CommandInput, refuse } from './collector-connection'
import { NO_COLLECTOR, USAGE_ERROR } from './exit-codes'
import { commandHelp, SHOW_FLAGS } from './flags.js'
import { shownEnvironment } from './run-collector'

/** `waystation show`: the boards on a saved run, until Ctrl-C. Returns the exit code. */
export async function command({ root, bundles, words, stop }: CommandInput): Promise<number> {
  const read = readShowArguments(words.slice(1))
  if (!read.ok) return refuse(USAGE_ERROR, [read.error])
  if (read.value === 'help') {
    console.log(commandHelp('show'))
    return 0
  }
  const { path, port, open } = read.value
  loadEnvironmentFiles(root, false)
  const run = await openRun(path, { log: (line) => console.error(plainText(line)) })
  if (!run.ok) return refuse(NO_COLLECTOR, [run.error])
  try {
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

interface ShowArguments {
  readonly path: string
  readonly port: number
  readonly open: boolean
}

/** @returns a message for a wrong argument */
export function readShowArguments(args: readonly string[]): Result<ShowArguments | 'help', string> {
  const parsed = parseArguments(args, SHOW_FLAGS)
  if (!parsed.ok) return parsed
  const { help, value, has, wrong, positionals } = parsed.value
  if (help) return succeed('help')
  const [path, ...others] = positionals
  if (path === undefined || others.length > 0)
    return fail(`show requires one file of waystation run --save, or one folder, got ${JSON.stringify(positionals)}`)
  const port = readPort(value('--port') ?? '0')
  return port === null ? fail(wrong('--port')) : succeed({ path, port, open: has('--open') })
}
