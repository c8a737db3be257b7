import { plural } from '../../../lib/format'
import { fail, type Result, succeed } from '../../../lib/protocol/result'

/** A file as it would be written; equal texts change nothing. */
export interface PlannedFile {
  /** Relative to the project. */
  readonly path: string
  /** `null` for a new file. */
  readonly before: string | null
  readonly after: string
  /** The changed part, a line each, with `+` or `-`. */
  readonly shown: readonly string[]
}

/** A file of a client of MCP, and its form of an entry. */
export interface ClientFile {
  readonly path: string
  /** The object with the servers. */
  readonly key: 'mcpServers' | 'servers'
  /** Written even where the client has no folder yet. */
  readonly always: boolean
  /** A path within the project, as this client finds it. */
  readonly from: (path: string) => string
}

const inWorkspace = (path: string): string => `\${workspaceFolder}/${path}`

/** Claude Code starts servers in the folder of the file; Cursor and VS Code replace the name of the folder. */
export const CLIENT_FILES: readonly ClientFile[] = [
  { path: '.mcp.json', key: 'mcpServers', always: true, from: (path) => path },
  { path: '.cursor/mcp.json', key: 'mcpServers', always: false, from: inWorkspace },
  { path: '.vscode/mcp.json', key: 'servers', always: false, from: inWorkspace },
]

const NAME = 'waystation'

/** The entry of Waystation. It names the installed file, because the registry has another owner of the name. */
export const entryOf = (command: string) => ({ command: 'node', args: [command, 'mcp'] })

/**
 * Adds the entry to a file, or replaces an older one, and keeps everything else.
 * @param before the text of the file; `null` when there is none
 * @param command the installed command, as this client finds it
 * @returns why the file cannot be edited, when it is no JSON of the expected shape
 */
export function planEntry(
  { path, key }: ClientFile,
  before: string | null,
  command: string,
): Result<PlannedFile, string> {
  const read = readObject(before ?? '{}')
  if (!read.ok) return fail(`${path} is ${read.error}`)
  const servers = read.value[key] ?? {}
  if (!isObject(servers)) return fail(`${path} has ${JSON.stringify(servers)} as ${key}, and not an object`)
  const [old, entry] = [servers[NAME], entryOf(command)]
  if (before !== null && JSON.stringify(old) === JSON.stringify(entry))
    return succeed({ path, before, after: before, shown: [] })
  const indent = /^[ \t]+/m.exec(before ?? '')?.[0] ?? '  '
  const after = `${JSON.stringify({ ...read.value, [key]: { ...servers, [NAME]: entry } }, null, indent)}\n`
  const lines = (sign: string, value: unknown): string => `${sign} ${key}.${NAME}: ${JSON.stringify(value)}`
  return succeed({ path, before, after, shown: [...(old === undefined ? [] : [lines('-', old)]), lines('+', entry)] })
}

/** The skill as a file of the project. @param from where it is copied from, for the reader */
export function planSkill(path: string, before: string | null, skill: string, from: string): PlannedFile {
  const sizeOf = (text: string): string => plural(text.trimEnd().split('\n').length, 'line')
  const copied = `+ ${sizeOf(skill)}, a copy of ${from}`
  const replaced = before === null ? [] : [`- ${sizeOf(before)}`]
  return { path, before, after: skill, shown: before === skill ? [] : [...replaced, copied] }
}

function readObject(text: string): Result<Readonly<Record<string, unknown>>, string> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? succeed(value) : fail('no JSON object')
  } catch (error) {
    return fail(`no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
