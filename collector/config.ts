import { type Environment, STAND_IN } from '../lib/config/environment'
import type { Dsn } from '../lib/protocol/dsn'
import { hostName, isLoopbackName } from '../lib/protocol/request'
import { version } from '../package.json'

/** What the collector runs by: the environment with every blank filled in. */
export interface Config {
  readonly environment: Environment
  /** Absolute; it exists. */
  readonly folder: string
  /** Addresses to listen on. Loopback, both families, unless a token is set. */
  readonly hosts: readonly string[]
  readonly port: number
  readonly version: string
}

const VERSION = version

export function configure(environment: Environment, folder: string): Config {
  return { environment, folder, hosts: listenOn(environment), port: environment.collectorPort, version: VERSION }
}

/** Without a token nobody but this machine is listened to, whatever WAYSTATION_HOST says: a Host header proves nothing. */
export function listenOn(environment: Environment): readonly string[] {
  const { collectorHost, token } = environment
  if (collectorHost === null) return token === undefined ? ['127.0.0.1', '::1'] : ['0.0.0.0', '::']
  return [collectorHost]
}

/** `null` when the configured host is safe to listen on; else the sentence that refuses it. */
export function refuseHost(environment: Environment): string | null {
  const { collectorHost, token } = environment
  if (collectorHost === null || token !== undefined || isLoopbackName(collectorHost)) return null
  return `WAYSTATION_HOST=${collectorHost} is not a loopback address: set WAYSTATION_TOKEN too, or everybody on the network could read what you record.`
}

/**
 * `null` unless an upstream is this very collector: each envelope would be relayed to where it came from, for ever.
 * The local DSN, pasted where the project's belongs, does just that.
 */
export function refuseOwnUpstream(environment: Environment, port: number): string | null {
  const { upstream, furtherUpstreams } = environment
  const all = [...(upstream === null || upstream === STAND_IN ? [] : [upstream]), ...furtherUpstreams]
  const own = all.find((dsn) => isOnLoopback(dsn) && portOf(dsn) === port)
  if (own === undefined) return null
  return `The upstream ${own.host}/${own.projectId} is this collector itself: what is meant is the DSN of your project at Sentry, not the local DSN.`
}

const portOf = (dsn: Dsn): number =>
  Number(new URL(`${dsn.protocol}://${dsn.host}`).port || (dsn.protocol === 'https' ? 443 : 80))

/** The same environment with the port that is really listened on, where any free one was asked for. */
export function withPort(environment: Environment, port: number): Environment {
  if (environment.collectorPort !== 0) return environment
  const url = new URL(environment.collectorUrl)
  return { ...environment, collectorUrl: `${url.protocol}//${url.hostname}:${port}` }
}

export const isOnLoopback = (dsn: Dsn): boolean => isLoopbackName(hostName(dsn.host))
