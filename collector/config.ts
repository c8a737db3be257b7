import { type Environment, STAND_IN, separateOtlpUpstream } from '../lib/config/environment'
import type { Dsn } from '../lib/protocol/dsn'
import { hostName, isLoopbackName } from '../lib/protocol/request'
import { ROLES } from '../lib/protocol/roles'
import { isDsn, type UpstreamAddress } from '../lib/protocol/upstream-address'
import { version } from '../package.json'
import type { ConfiguredUpstream } from './relay/relayed-upstream'

export interface Config {
  readonly environment: Environment
  /** Absolute, and it exists. */
  readonly folder: string
  /** Addresses to listen on. IPv4 and IPv6 loopback, unless a token is set. */
  readonly hosts: readonly string[]
  readonly port: number
  readonly version: string
  /** `waystation show`: the folder is a copy of a run. Nothing is received, sent, evicted or changed. */
  readonly isShown: boolean
}

export function configure(given: Environment, folder: string, { isShown = false } = {}): Config {
  // A copy of a run is nobody else's.
  const environment = isShown ? { ...given, roles: ROLES } : given
  return { environment, folder, hosts: listenOn(environment), port: environment.collectorPort, version, isShown }
}

/** The shared record and how this collector uses it; `null` for a record in the data folder. */
export function storeSettings({ environment, isShown }: Config) {
  const { store: url, allowWeakStore: allowWeak, maxAgeMs, storeBytes: budgetBytes, lanes } = environment
  return url === null || isShown ? null : { url, allowWeak, retention: { maxAgeMs, budgetBytes }, lanes }
}

/** Without a token the default is loopback only: a Host header proves nothing. */
export function listenOn(environment: Environment): readonly string[] {
  const { collectorHost, token } = environment
  if (collectorHost === null) return token === undefined ? ['127.0.0.1', '::1'] : ['0.0.0.0', '::']
  return [collectorHost]
}

export function refuseHost(environment: Environment): string | null {
  const { collectorHost, token } = environment
  if (collectorHost === null || token !== undefined || isLoopbackName(collectorHost)) return null
  return `WAYSTATION_HOST=${collectorHost} is not a loopback address: set WAYSTATION_TOKEN too, or everyone on the network could read your telemetry.`
}

/** Rejects an upstream that is this collector itself (a local DSN): it would relay each record to itself forever. */
export function refuseOwnUpstream(environment: Environment, port: number): string | null {
  const { upstream, furtherUpstreams, otlpUpstream } = environment
  const all: readonly UpstreamAddress[] = [
    ...(upstream === null || upstream === STAND_IN ? [] : [upstream]),
    ...furtherUpstreams,
    ...(otlpUpstream === null ? [] : [otlpUpstream]),
  ]
  const ports = [port, ...(environment.otlpPortGiven && environment.otlpPort !== null ? [environment.otlpPort] : [])]
  const own = all.find((address) => isOnLoopback(address) && ports.includes(portOf(address)))
  if (own === undefined) return null
  return isDsn(own)
    ? `The upstream ${own.host}/${own.projectId} is this collector itself: use the DSN of your project at Sentry, not the local DSN.`
    : `WAYSTATION_OTLP_UPSTREAM ${own.protocol}://${own.host}${own.path} is this collector itself: use the address of another OTLP endpoint.`
}

/**
 * The second port, which serves only OTLP; `null` for none. The default port is left to an upstream on this machine that
 * already has it.
 */
export function otlpPortOf({ otlpPort, otlpPortGiven, otlpUpstream }: Environment): number | null {
  const isUpstreams = otlpUpstream !== null && isOnLoopback(otlpUpstream) && portOf(otlpUpstream) === otlpPort
  return isUpstreams && !otlpPortGiven ? null : otlpPort
}

const portOf = ({ protocol, host }: UpstreamAddress): number =>
  Number(new URL(`${protocol}://${host}`).port || (protocol === 'https' ? 443 : 80))

export function withPort(environment: Environment, port: number): Environment {
  if (environment.collectorPort !== 0) return environment
  const url = new URL(environment.collectorUrl)
  return { ...environment, collectorUrl: `${url.protocol}//${url.hostname}:${port}` }
}

export const isOnLoopback = ({ host }: UpstreamAddress): boolean => isLoopbackName(hostName(host))

export function upstreamsOf(config: Config, standInDsn: Dsn | undefined): readonly ConfiguredUpstream[] {
  const { upstream, furtherUpstreams } = config.environment
  const first = upstream === STAND_IN ? standInDsn : (upstream ?? undefined)
  const separate = separateOtlpUpstream(config.environment)
  return [
    ...(first === undefined ? [] : [{ upstream: first, standIn: upstream === STAND_IN }]),
    ...furtherUpstreams.map((dsn) => ({ upstream: dsn, standIn: false })),
    ...(separate === null ? [] : [{ upstream: separate, standIn: false }]),
  ]
}
