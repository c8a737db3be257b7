import { accessSync, constants } from 'node:fs'
import { dataFolder } from '../../lib/config/data-folder'
import { type Environment, explainProblem, readEnvironment } from '../../lib/config/environment'
import { makeFolder } from '../../lib/config/make-folder'
import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { listenOn, refuseHost } from '../config'
import { explainSystemError } from './explain-failure.js'
import { anyFreePort, nextFreePort, portState, whoHolds } from './ports'

/** The address the app listens on; with a token it is open to the network. */
const APP_HOST = '127.0.0.1'
const EVERY_ADDRESS = '0.0.0.0'

/** What is decided before anything is started. */
export interface Settled {
  readonly environment: Environment
  readonly dataFolder: string
  readonly collectorPort: number
  readonly appPort: number
  /** `null`: on every address. */
  readonly appHost: string | null
  readonly portInstead: { readonly taken: number; readonly used: number } | null
}

/** Why it cannot start, in sentences for a terminal; the exit code is 2 for a wrong variable, else 1. */
export interface Refusal {
  readonly code: 1 | 2
  readonly sentences: readonly string[]
}

/** Reads the environment, makes the data folder and finds the ports. */
export async function settle(
  root: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Result<Settled, Refusal>> {
  const read = readEnvironment(variables)
  if (!read.ok) return fail({ code: 2, sentences: read.error.map((problem) => plainText(explainProblem(problem))) })
  const environment = read.value
  const unsafe = refuseHost(environment)
  if (unsafe !== null) return fail({ code: 2, sentences: [plainText(unsafe)] })

  const folder = dataFolder(environment.dataFolder, root)
  const unusable = refuseFolder(folder)
  if (unusable !== null) return refuse(unusable)

  const collectorPort = await findCollectorPort(environment)
  if (!collectorPort.ok) return collectorPort
  const appHost = environment.token === undefined ? APP_HOST : null
  const appPort = await findAppPort(environment.appPort, appHost ?? EVERY_ADDRESS)
  if (!appPort.ok) return appPort
  const moved = environment.appPort !== 0 && appPort.value !== environment.appPort
  return succeed({
    environment,
    dataFolder: folder,
    collectorPort: collectorPort.value,
    appPort: appPort.value,
    appHost,
    portInstead: moved ? { taken: environment.appPort, used: appPort.value } : null,
  })
}

async function findCollectorPort(environment: Environment): Promise<Result<number, Refusal>> {
  const port = environment.collectorPort
  if (port === 0) return succeed(await anyFreePort(listenOn(environment)))
  const sentence = await refuseCollectorPort(port, environment)
  return sentence === null ? succeed(port) : refuse(sentence)
}

/** `null` when the collector may listen on this port, else the sentence that says why not. */
export async function refuseCollectorPort(port: number, environment: Environment): Promise<string | null> {
  const state = await portState(port, listenOn(environment))
  if (state === 'free') return null
  if (state === 'forbidden') return forbidden('WAYSTATION_PORT', port)
  return `The collector's port ${port} is taken: ${await whoHolds(port)}. Stop it, or choose another with WAYSTATION_PORT.`
}

async function findAppPort(asked: number, host: string): Promise<Result<number, Refusal>> {
  if (asked === 0) return succeed(await anyFreePort([host]))
  if ((await portState(asked, [host])) === 'forbidden') return refuse(forbidden('PORT', asked))
  const found = await nextFreePort(asked, [host])
  return found === null
    ? refuse(`The app's port ${asked} and those after it are taken; choose another with PORT.`)
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

const refuse = (sentence: string) => fail<Refusal>({ code: 1, sentences: [sentence] })
