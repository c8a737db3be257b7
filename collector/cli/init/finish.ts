import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isObject } from '../../../lib/protocol/json-value'
import { runWithTimeout } from '../../../lib/time'
import { CollectorError } from '../../../lib/wire/errors'
import type { CollectorConnection } from '../collector-connection'
import { explainFailedRequest } from '../collector-connection'
import { acceptsConnections, checkProbe } from '../doctor/doctor-app'
import { parseObject } from './project'

const TIMEOUT_MS = 10_000

/** The local DSN of a collector; `null` when none answers. */
export async function localDsnOf(
  { client }: Pick<CollectorConnection, 'client'>,
  stop: AbortSignal,
): Promise<string | null> {
  try {
    return (await runWithTimeout(TIMEOUT_MS, stop, client.overview)).localDsn
  } catch {
    return null
  }
}

/**
 * Posts an envelope without items to a DSN, as `waystation doctor` does.
 * @param startCommand starts a collector from the current folder
 * @returns lines for the reader: the check, and the command that starts a collector where none answers
 */
export async function probe(
  connection: CollectorConnection,
  dsn: string,
  startCommand: string,
  stop: AbortSignal,
): Promise<readonly string[]> {
  try {
    await runWithTimeout(TIMEOUT_MS, stop, connection.client.overview)
  } catch (cause) {
    const isStopped = cause instanceof CollectorError && cause.status === null
    const message = isStopped
      ? `No collector answers at ${connection.url}.`
      : explainFailedRequest(cause, connection).message
    return [`✗ ${message}`, `  Start one from this folder: ${startCommand}`]
  }
  const page = { base: connection.url, status: 200, dsn, tunnel: null }
  const probing = { fetch, connects: acceptsConnections, appUrl: null, tunnel: '', requiresTunnel: false, stop }
  const { state, found, fix } = await checkProbe(page, probing, { hasTunnel: false })
  return [`${state === 'ok' ? '✓' : '✗'} ${found}`, ...(fix === null ? [] : [`  ${fix}`])]
}

/** The command that starts a collector from a project. @param home the folder of the package or of the clone */
export function startCommandOf(home: string, project: string, packaged: boolean): string {
  if (!packaged) return `npm start (in ${home})`
  if (existsSync(join(project, 'node_modules/waystation'))) return 'npx waystation start'
  const tarball = npxTarball(home, project)
  return tarball === null ? `node ${join(home, 'collector/cli/waystation.js')} start` : `npx ${tarball} start`
}

/** npx installs into a folder of its own, and writes there what it was called with. */
function npxTarball(home: string, project: string): string | null {
  const file = join(dirname(dirname(home)), 'package.json')
  const written = existsSync(file) ? parseObject(readFileSync(file, 'utf8')) : null
  const own = written?.ok ? written.value._npx : null
  const [tarball] = isObject(own) && Array.isArray(own.packages) ? own.packages.map(String) : []
  return tarball !== undefined && existsSync(resolve(project, tarball)) ? tarball : null
}
