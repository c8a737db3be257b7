import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { hasCode } from './processes.js'

/** As Next reads them, the first that sets a variable wins. */
const filesOf = (mode: 'development' | 'production'): readonly string[] => [
  `.env.${mode}.local`,
  '.env.local',
  `.env.${mode}`,
  '.env',
]

/**
 * Adds the variables of the `.env` files to `env`, which has precedence. Child processes inherit the result: Next, too, reads no
 * files of its own then. `$NAME` in a value stays as it is.
 * @param root the folder of the files
 * @throws the system error for a file that exists but cannot be read
 */
export function loadEnvironmentFiles(root: string, isDev: boolean, env: NodeJS.ProcessEnv = process.env): void {
  for (const file of filesOf(isDev ? 'development' : 'production')) {
    for (const [name, value] of Object.entries(parseEnv(textOf(join(root, file))))) env[name] ??= value
  }
  env.__NEXT_PROCESSED_ENV = 'true'
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (hasCode(cause, 'ENOENT', 'EISDIR')) return ''
    throw cause
  }
}
