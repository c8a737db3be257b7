import { MOST_TEXT, quoteInline } from './received'

/** A call of a verb, complete enough to be made as it stands. */
export interface Call {
  readonly verb: string
  readonly args: Readonly<Record<string, string | number | boolean>>
}

export const getCall = (id: string, of: Call['args'] = {}): Call => ({ verb: 'get', args: { id, ...of } })

/** The reader of an answer has a shell, or the tools of MCP. */
export type Asker = 'command' | 'mcp'

/** Arguments that a command takes without a flag, in this order. The last one may have several words. */
export const POSITIONALS: Readonly<Record<string, readonly string[]>> = {
  search: ['kind', 'query'],
  get: ['id'],
  wait: ['kind', 'fields'],
  mark: ['name'],
  compare: ['from', 'to'],
  explain: ['id'],
}

/** The call as code: `waystation get ID --focus SPAN`, or `get {"id":"ID","focus":"SPAN"}`. */
export function writeCall({ verb, args }: Call, asker: Asker): string {
  const text = asker === 'mcp' ? `${verb} ${JSON.stringify(args)}` : commandOf(verb, args)
  return quoteInline({ field: null, value: text, most: 4 * MOST_TEXT }, { raw: true })
}

function commandOf(verb: string, args: Call['args']): string {
  const positionals = POSITIONALS[verb] ?? []
  const flags = Object.entries(args).filter(([name, value]) => !positionals.includes(name) && value !== false)
  return [
    `waystation ${verb}`,
    ...positionals.flatMap((name) => (args[name] === undefined ? [] : [quoted(String(args[name]))])),
    ...flags.map(([name, value]) => (value === true ? `--${name}` : `--${name} ${quoted(String(value))}`)),
  ].join(' ')
}

/** One word of a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w./:@%+,~=-]+$/.test(text) && !text.startsWith('~') ? text : `'${text.replaceAll("'", `'\\''`)}'`
