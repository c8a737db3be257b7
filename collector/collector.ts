import { keepsKeyless, ownLocalDsn } from '../lib/config/environment'
import { formatDsn, localDsn } from '../lib/protocol/dsn'
import { isDsn, KEYLESS } from '../lib/protocol/upstream-address'
import type { Overview } from '../lib/wire/overview'
import { closeAll, listenOnAll } from './api/listen'
import { grpcHint, listenForOtlp } from './api/otlp-port'
import { createOtlpApp } from './app'
import { buildWithQueries } from './build-with-queries'
import { buildWithoutQueries } from './build-without-queries'
import { type Config, otlpPortOf, withPort } from './config'
import { StoppingError } from './runtime/thread-errors'

export interface RunningCollector {
  readonly url: string
  readonly localDsn: string
  /** Each with the local DSN of its project, for SDKs. */
  readonly upstreams: readonly { readonly label: string; readonly standIn: boolean; readonly localDsn: string }[]
  readonly otlp: OtlpFacts
  /** Pending envelopes of keys and projects that are no longer configured. */
  readonly stranded: Overview['stranded']
  /** Stops accepting requests, waits briefly for open posts, checkpoints the databases and ends the threads. */
  readonly stop: () => Promise<void>
}

/** Facts about OTLP requests without a key, for the start message. */
interface OtlpFacts {
  /** OpenTelemetry programs send here. */
  readonly url: string
  /** The default port, where another program has it. */
  readonly taken: number | null
  /** The label of their upstream, where `WAYSTATION_OTLP_UPSTREAM` names another one than those above. */
  readonly upstream: string | null
  /** Nothing selects one of several upstreams, so they stay here. */
  readonly staysLocal: boolean
}

/**
 * Builds the parts of the collector in the order of their needs, and listens. When one fails, those before it are closed.
 * @param onFailure a part died; the process must exit
 */
export async function startCollector(config: Config, onFailure: (error: Error) => void): Promise<RunningCollector> {
  // While stopping, the last facts may still call a part that has ended.
  const onDeath = (error: Error): void => {
    if (!(error instanceof StoppingError)) onFailure(error)
  }
  const opened: { readonly close: () => Promise<void> }[] = []
  const closeOpened = async (): Promise<void> => {
    for (const part of opened.splice(0).reverse()) await part.close()
  }
  const built = <Part extends { readonly close: () => Promise<void> }>(part: Part): Part => {
    opened.push(part)
    return part
  }
  /** With the port that is in use once the collector listens. */
  let { environment } = config
  try {
    const { roles } = config.environment
    const build = roles.includes('query') ? buildWithQueries : buildWithoutQueries
    const { record, delivery, intake, app, otlpDeps, reads } = await build(config, {
      built,
      onDeath,
      environment: () => environment,
    })
    const onHttp2 = () => intake.logRarely('grpc', grpcHint(environment.collectorUrl))
    const own = await listenOnAll(app.fetch, config.hosts, config.port, onHttp2)
    const servers = [...own.servers]
    built({ close: () => closeAll(servers) })
    environment = withPort(environment, own.port)
    const otlp = await listenForOtlp(createOtlpApp(otlpDeps, () => environment.collectorUrl).fetch, {
      hosts: config.hosts,
      port: roles.includes('intake') ? otlpPortOf(environment) : null,
      isPortSet: environment.otlpPortGiven,
      collectorPort: own.port,
      onHttp2,
    })
    servers.push(...otlp.servers)
    const { relay } = delivery
    const stranded = await relay.stranded()
    // Last, so that the supervisor already listens when an upstream answers at once.
    delivery.start()

    return {
      url: environment.collectorUrl,
      localDsn: ownLocalDsn(environment),
      upstreams: relay
        .upstreams()
        .flatMap(({ upstream, ...named }) =>
          isDsn(upstream) ? [{ ...named, localDsn: formatDsn(localDsn(environment.collectorUrl, upstream)) }] : [],
        ),
      otlp: {
        url: withOtherPort(environment.collectorUrl, otlp.port),
        taken: otlp.taken,
        upstream: relay.upstreamFor(KEYLESS)?.label ?? null,
        staysLocal: keepsKeyless(environment),
      },
      stranded,
      stop: async () => {
        const closed = Promise.all([closeAll(servers), reads.close()])
        await delivery.stopPosting()
        for (const server of servers) server.closeAllConnections()
        await closed
        await Promise.all([reads.closeLate(), intake.close(), delivery.close()])
        await record.close()
      },
    }
  } catch (error) {
    await closeOpened()
    throw error
  }
}

function withOtherPort(collectorUrl: string, port: number): string {
  const { protocol, hostname } = new URL(collectorUrl)
  return `${protocol}//${hostname}:${port}`
}
