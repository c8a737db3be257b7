import { accessSync, constants } from 'node:fs'
import { type Environment, explainProblem, readEnvironment } from '../../lib/config/environment'
import { dataFolder, makeFolder } from '../../lib/config/folders'
import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { storePlace } from '../../lib/protocol/store-place'
import { listenOn, refuseHost } from '../config'
import { explainSystemError } from './explain-failure.js'
import { anyFreePort, describeHolder, nextFreePort, portState } from './ports'

/** With a token the app listens on every address. */
const LOCAL_APP_HOST = '127.0.0.1'
const EVERY_ADDRESS = '0.0.0.0'

export interface CollectorSettings {
  readonly environment: Environment
  readonly dataFolder: string
  readonly collectorPort: number
}

export interface StartSettings extends CollectorSettings {
  readonly appPort: number
  readonly appHost: string | null
  readonly portInstead: { readonly taken: number; readonly used: number } | null
}

/** Why Waystation cannot start, for a terminal. Exit code 2: a wrong variable. */
interface Refusal {
  readonly code: 1 | 2
  readonly messages: readonly string[]
}

type Variables = Readonly<Record<string, string | undefined>>

/** Reads the environment, makes the data folder and finds the ports of collector and app. */
export async function readStartSettings(root: string, variables: Variables): Promise<Result<StartSettings, Refusal>> {
  const collector = await readCollectorSettings(root, variables)
  if (!collector.ok) return collector
  const { environment } = collector.value
  const appHost = environment.token === undefined ? LOCAL_APP_HOST : null
  const appPort = await findAppPort(environment.appPort, appHost ?? EVERY_ADDRESS)
  if (!appPort.ok) return appPort
  const moved = environment.appPort !== 0 && appPort.value !== environment.appPort
  return succeed({
    ...collector.value,
    appPort: appPort.value,
    appHost,
    portInstead: moved ? { taken: environment.appPort, used: appPort.value } : null,
  })
}

/** The part of the start block that the settings decide. */
export const printedSettings = ({ environment }: CollectorSettings) => ({
  ignoresSentryDsn: environment.ignoredSentryDsn !== null,
  guardedByToken: environment.token !== undefined,
  roles: environment.roles,
  store: environment.store === null ? null : storePlace(environment.store),
})

/** The settings of the collector alone. */
export async function readCollectorSettings(
  root: string,
  variables: Variables,
): Promise<Result<CollectorSettings, Refusal>> {
  const read = readEnvironment(variables)
  if (!read.ok) return fail({ code: 2, messages: read.error.map((problem) => plainText(explainProblem(problem))) })
  const environment = read.value
  const unsafe = refuseHost(environment)
  if (unsafe !== null) return fail({ code: 2, messages: [plainText(unsafe)] })

  const folder = dataFolder(environment.dataFolder, root)
  const unusable = refuseFolder(folder)
  if (unusable !== null) return refuse(unusable)

  const collectorPort = await findCollectorPort(environment)
  if (!collectorPort.ok) return collectorPort
  return succeed({ environment, dataFolder: folder, collectorPort: collectorPort.value })
}

async function findCollectorPort(environment: Environment): Promise<Result<number, Refusal>> {
  const port = environment.collectorPort
  if (port === 0) return succeed(await anyFreePort(listenOn(environment)))
  const message = await refuseCollectorPort(port, environment)
  return message === null ? succeed(port) : refuse(message)
}

/** Returns null when the collector can listen on this port, else why it cannot. */
export async function refuseCollectorPort(port: number, environment: Environment): Promise<string | null> {
  const state = await portState(port, listenOn(environment))
  if (state === 'free') return null
  if (state === 'forbidden') return forbidden('WAYSTATION_PORT', port)
  return `The collector's port ${port} is taken: ${await describeHolder(port)}. Stop it, or choose another port with WAYSTATION_PORT.`
}

async function findAppPort(port: number, host: string): Promise<Result<number, Refusal>> {
  if (port === 0) return succeed(await anyFreePort([host]))
  if ((await portState(port, [host])) === 'forbidden') return refuse(forbidden('PORT', port))
  const found = await nextFreePort(port, [host])
  return found === null
    ? refuse(`The app's port ${port} and the ports after it are taken; choose another with PORT.`)
    : succeed(found)
}

function refuseFolder(folder: string): string | null {
  try {
    makeFolder(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (cause) {
    return `Data cannot be kept in ${plainText(folder)}: ${plainText(explainSystemError(cause))}. Choose another folder with WAYSTATION_DATA.`
  }
}

const forbidden = (variable: string, port: number): string =>
  `${variable}=${port} cannot be used: this user may not listen on it; ports from 1024 on need no rights.`

const refuse = (message: string) => fail<Refusal>({ code: 1, messages: [message] })
