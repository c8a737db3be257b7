import { ask, verbNamed } from '../../../lib/ask/verbs'
import { stoppedCode } from '../../launch/stop-requests.js'
import { helpOrRefuse } from '../arguments'
import { type CommandInput, connectNearest, refuse } from '../collector-connection'
import { USAGE_ERROR, VERDICT_EXIT_CODES } from '../exit-codes'
import { askHelp, readAskArguments } from './ask-arguments'
import { askSources, explainFailure, MOST_COMMAND_WAIT_MS } from './ask-sources'

/** `waystation status` and the other verbs: prints one bounded answer; `mcp` serves them. Returns the exit code. */
export async function command(input: CommandInput): Promise<number> {
  const { root, words, stop, packaged } = input
  if (words[0] === 'mcp') return (await import('./mcp')).command(input)
  const own = { ...process.env }
  const [name = '', ...args] = words
  const verb = verbNamed(name)
  if (verb === undefined) return refuse(USAGE_ERROR, [`unknown command ${JSON.stringify(name)}`])
  if (args.some((word) => word === '--help' || word === '-h')) {
    console.log(askHelp(verb))
    return 0
  }
  const read = readAskArguments(verb, args)
  if (!read.ok) return helpOrRefuse(name, read.error)
  const connection = connectNearest(read.value.url, process.cwd(), { root, packaged })
  if (!connection.ok) return refuse(USAGE_ERROR, connection.error)
  const sources = askSources(connection.value, {
    signal: stop.first,
    mostWaitMs: MOST_COMMAND_WAIT_MS,
    own,
    folder: process.cwd(),
  })
  try {
    const { text, verdict } = await ask(verb, sources, read.value.given, { asker: 'command', raw: read.value.raw })
    process.stdout.write(text)
    return verdict === undefined ? 0 : VERDICT_EXIT_CODES[verdict]
  } catch (cause) {
    if (stop.first.aborted) return stoppedCode(stop.first)
    const { code, message } = explainFailure(cause, connection.value)
    return refuse(code, [message])
  }
}
