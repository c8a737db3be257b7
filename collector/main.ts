import { removeAddress, writeAddress } from '../lib/config/address-file'
import { explainProblem, readEnvironment } from '../lib/config/environment'
import { dataFolder, makeFolder } from '../lib/config/folders'
import { plainText } from '../lib/format'
import { hasAllRoles } from '../lib/protocol/roles'
import { OPENED_FLAG, SHOWN_FLAG } from '../lib/wire/run'
import { type RunningCollector, startCollector } from './collector'
import { configure, refuseHost, refuseOwnUpstream } from './config'
import { explainStop } from './runtime/sqlite-errors'

/** Reports over IPC that it is ready, or why it failed. Stops on a message, a signal, or the end of its parent. */
export type CollectorMessage =
  | {
      readonly type: 'ready'
      readonly url: string
      readonly dataFolder: string
      readonly localDsn: string
      readonly upstreams: RunningCollector['upstreams']
      readonly otlp: RunningCollector['otlp']
      readonly stranded: RunningCollector['stranded']
    }
  | { readonly type: 'failed'; readonly message: string }

const STOP_BUDGET_MS = 9000

function fail(message: string, code: number): never {
  console.error(message)
  process.send?.({ type: 'failed', message } satisfies CollectorMessage)
  process.exit(code)
}

// Files are readable by their owner only, even in a shared folder.
process.umask(0o077)

const parsed = readEnvironment(process.env)
if (!parsed.ok) fail(parsed.error.map(explainProblem).join('\n'), 2)
const environment = parsed.value
const refusal = refuseHost(environment) ?? refuseOwnUpstream(environment, environment.collectorPort)
if (refusal !== null) fail(refusal, 2)
const opened = process.argv.includes(OPENED_FLAG)
  ? await (await import('./runs/open-run')).openRun(process.argv.at(-1) ?? '', {
      log: (line) => console.error(plainText(line)),
    })
  : null
if (opened !== null && !opened.ok) fail(opened.error, 1)
process.on('exit', () => opened?.value.close())
const isShown = opened !== null || process.argv.includes(SHOWN_FLAG)
const folder = opened?.value.folder ?? dataFolder(environment.dataFolder, process.cwd())
try {
  makeFolder(folder)
} catch (error) {
  const cause = error instanceof Error ? error.message : String(error)
  fail(`Cannot create the data folder ${folder}: ${cause}. Set WAYSTATION_DATA to a folder that can be created.`, 1)
}

const die = (error: Error): void =>
  fail(`The collector stopped: ${explainStop(error, folder, environment.store !== null)}.`, 1)
process.on('uncaughtException', die)
process.on('unhandledRejection', (reason) => die(reason instanceof Error ? reason : new Error(String(reason))))

function noteAddress(url: string): void {
  try {
    writeAddress(folder, { url, pid: process.pid })
    process.on('exit', () => removeAddress(folder, process.pid))
  } catch (error) {
    // On a full disk the collector still receives; programs then need its address.
    console.error(
      `Cannot write address.json into ${folder}: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}

let running: RunningCollector | null = null
let stopping = false
async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  setTimeout(() => {
    console.error('The collector could not stop in time; all acknowledged envelopes are on disk.')
    // `process.exit` would wait for a thread that is inside SQLite or a parser.
    process.kill(process.pid, 'SIGKILL')
  }, STOP_BUDGET_MS).unref()
  await running?.stop()
  process.exit(0)
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
process.on('disconnect', stop)
process.on('message', (message) => {
  if (typeof message === 'object' && message !== null && 'type' in message && message.type === 'stop') void stop()
})

running =
  (await startCollector(configure(environment, folder, { isShown }), die).catch((error: Error) => die(error))) ?? null
if (running !== null) {
  const { url, localDsn, upstreams, otlp, stranded } = running
  // The folder of a saved run is a copy, which nobody else finds.
  if (!isShown) noteAddress(url)
  const ready: CollectorMessage = { type: 'ready', url, dataFolder: folder, localDsn, upstreams, otlp, stranded }
  const named = hasAllRoles(environment.roles) ? '' : `, roles ${environment.roles.join(', ')}`
  if (process.send === undefined) console.error(`collector ${url}, data in ${folder}, local DSN ${localDsn}${named}`)
  else process.send(ready)
}
