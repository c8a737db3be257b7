import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { anyFreePort } from '../../collector/launch/ports'
import { findBinaries, type Owner, ownerOfServer } from './binaries'

/** A PostgreSQL server of a test, with its data in a temporary folder. Its roles need no password. */
export interface Cluster {
  readonly port: number
  /** Has the server's Unix socket. */
  readonly folder: string
  /** @returns the address of a database over TCP, or over the Unix socket */
  readonly url: (database?: string, over?: 'tcp' | 'socket') => string
  /** The server's log since its last start. */
  readonly log: () => string
  /**
   * Starts the server, on the data that a stopped one left; resolves when it accepts connections.
   * @param settings of this start, as in postgresql.conf
   * @throws with its log when it exits
   */
  readonly start: (settings?: Readonly<Record<string, string>>) => Promise<void>
  readonly isRunning: () => boolean
  /** Ends the server; resolves when none of its processes runs. */
  readonly stop: (how?: StopSignal) => Promise<void>
  /** Ends the server and removes its folder. */
  readonly remove: () => Promise<void>
}

/** `SIGINT` ends connections and shuts down, `SIGQUIT` exits without a checkpoint, `SIGKILL` is a crash. */
export type StopSignal = 'SIGINT' | 'SIGQUIT' | 'SIGKILL'

/** No role may have the name of a schema of the product: its unqualified tables would be found. */
const ROLE = 'tester'
const SETTINGS = { listen_addresses: '127.0.0.1', max_connections: '300', log_min_messages: 'warning' }

/**
 * Ends the server and removes its folder when the input ends. The operating system closes the input when the process that
 * uses the server ends, even after an uncaught error or SIGKILL. An ended process without a parent may remain as a zombie,
 * so the number of tries is limited.
 */
const CLEAN_UP = `
  read -r _
  file=$1/data/postmaster.pid
  tries=0
  if [ -e "$file" ]; then
    read -r server < "$file"
    while [ -e "$file" ] && [ $tries -lt 50 ] && kill -QUIT "$server"; do
      tries=$((tries + 1))
      sleep 0.1
    done
  fi
  rm -rf "$1"`

/** A standby accepts read-only ones. */
const READY = /ready to accept (?:read-only )?connections/

const runFile = promisify(execFile)

/**
 * Makes a cluster, which has to be started.
 * @param folder for its temporary folder
 * @param copied a stopped cluster, whose data the new one copies
 * @returns the reason where this machine can run none
 */
export async function createCluster(folder = tmpdir(), copied?: Cluster): Promise<Cluster | { readonly why: string }> {
  const own = mkdtempSync(join(folder, 'waystation-postgres-'))
  const owner = ownerOfServer()
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(own, owner.uid, owner.gid)
  const removeFolder = (): void => rmSync(own, { recursive: true, force: true })
  try {
    const found = findBinaries(owner, join(own, 'native'))
    if ('why' in found) {
      removeFolder()
      return found
    }
    const options = { ...owner, cwd: own, env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: 'C' } }
    if (copied !== undefined) {
      if (copied.isRunning()) throw new Error('stop PostgreSQL before its data are copied')
      // As their owner, because PostgreSQL refuses data of another user.
      await runFile('cp', ['-R', '-p', join(copied.folder, 'data'), join(own, 'data')], options)
    } else {
      const form = ['-U', ROLE, '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
      await runFile(join(found.bin, 'initdb'), ['-D', join(own, 'data'), ...form], options)
    }
    return newCluster(found.bin, own, options, await anyFreePort(['127.0.0.1']))
  } catch (cause) {
    removeFolder()
    throw cause
  }
}

function newCluster(
  bin: string,
  folder: string,
  options: Owner & { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  port: number,
): Cluster {
  const endOnExit = followThisProcess(folder, options)
  let server: ChildProcess | null = null
  let log = ''

  const start = async (settings: Readonly<Record<string, string>> = {}): Promise<void> => {
    if (server !== null) throw new Error('PostgreSQL runs already; stop it first')
    const all = { ...SETTINGS, unix_socket_directories: process.platform === 'win32' ? '' : folder, ...settings }
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    log = ''
    const child = spawn(join(bin, 'postgres'), ['-D', join(folder, 'data'), '-p', String(port), ...args], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = child
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        log += chunk.toString()
        if (READY.test(log)) resolve()
      })
      child.once('error', reject)
      // All processes of the server have closed their log.
      child.once('close', () => {
        if (server === child) server = null
        reject(new Error(`PostgreSQL exited: ${log}`))
      })
    })
  }
  const stop = async (how: StopSignal = 'SIGINT'): Promise<void> => {
    if (server === null) return
    const closed = once(server, 'close')
    server.kill(how)
    await closed
  }
  return {
    port,
    folder,
    url: (database = 'postgres', over = 'tcp') =>
      over === 'tcp'
        ? `postgres://${ROLE}@127.0.0.1:${port}/${database}`
        : `postgres://${ROLE}@/${database}?host=${encodeURIComponent(folder)}&port=${port}`,
    log: () => log,
    isRunning: () => server !== null,
    start,
    stop,
    remove: async () => {
      await stop()
      await endOnExit()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** @returns a function that ends the following; Windows has no shell for it, there the server stays after a crash */
function followThisProcess(folder: string, options: Owner & { readonly env: NodeJS.ProcessEnv }): () => Promise<void> {
  if (process.platform === 'win32') return async () => undefined
  // Ctrl-C reaches the process group of this process only.
  const watcher = spawn('/bin/sh', ['-c', CLEAN_UP, 'sh', folder], {
    ...options,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watcher.unref()
  return async () => {
    watcher.ref()
    const ended = once(watcher, 'exit')
    watcher.kill('SIGKILL')
    await ended
  }
}
