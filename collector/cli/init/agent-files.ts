import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isObject } from '../../../lib/protocol/json-value'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { type Planned, type PlannedFile, plannedCopy } from './planned-file'
import { parseObject, readText } from './project'

const SKILL = 'skills/waystation/SKILL.md'
const COMMAND = 'collector/cli/waystation.js'

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
  const read = parseObject(before ?? '{}')
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

/** The files of the clients that are in use, and the skill. @param home the folder of the package or of the clone */
export function planAgents(project: string, home: string): readonly Planned[] {
  const installed = join('node_modules/waystation', COMMAND)
  const inProject = existsSync(join(project, installed))
  const inUse = CLIENT_FILES.filter(({ always, path }) => always || existsSync(join(project, dirname(path))))
  const entries = inUse.map((file): Planned => {
    const called = inProject ? file.from(installed) : join(home, COMMAND)
    const entry = planEntry(file, readText(join(project, file.path)), called)
    if (entry.ok) return { file: entry.value }
    const paste = `"${NAME}": ${JSON.stringify(entryOf(called))}\n`
    return { step: { title: `${entry.error}. Add this to its ${file.key}:`, paste } }
  })
  const path = join('.claude', SKILL)
  const source = join(home, SKILL)
  const from = inProject ? relative(project, source) : source
  return [...entries, { file: plannedCopy(path, readText(join(project, path)), readFileSync(source, 'utf8'), from) }]
}
