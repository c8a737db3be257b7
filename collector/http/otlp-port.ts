import type { Server } from 'node:http'
import { listenOnAll, PortTakenError } from './listen'

/** The address where OpenTelemetry programs can send, and the servers of the second port. */
export interface OtlpPort {
  readonly servers: readonly Server[]
  /** The second port, or the collector's own one. */
  readonly port: number
  /** The default port, where another program has it. */
  readonly taken: number | null
}

/**
 * Listens on the port where OpenTelemetry programs expect a collector. A taken default port is no error: the collector's
 * own port serves OTLP too. @param port `null` for none @throws Error when a port that was set is taken
 */
export async function listenForOtlp(
  fetch: Parameters<typeof listenOnAll>[0],
  given: {
    readonly hosts: readonly string[]
    readonly port: number | null
    readonly isPortSet: boolean
    readonly collectorPort: number
    readonly onHttp2: () => void
  },
): Promise<OtlpPort> {
  const { hosts, port, isPortSet, collectorPort, onHttp2 } = given
  const own: OtlpPort = { servers: [], port: collectorPort, taken: null }
  if (port === null || port === collectorPort) return own
  try {
    const listening = await listenOnAll(fetch, hosts, port, onHttp2)
    return { ...listening, taken: null }
  } catch (error) {
    if (!(error instanceof PortTakenError)) throw error
    if (!isPortSet) return { ...own, taken: port }
    throw new Error(
      `WAYSTATION_OTLP_PORT=${port} cannot be used: the port is taken; stop the program that uses it, choose another port, or set it to off`,
    )
  }
}

/** An exporter repeats its connection every few seconds. */
const HINT_INTERVAL_MS = 60_000

/** Logs how to switch a gRPC exporter to HTTP, at most once a minute. @param monotonic ms, by a clock that is never set */
export function createGrpcHint(parts: {
  readonly log: (line: string) => void
  readonly monotonic: () => number
  readonly url: () => string
}): () => void {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = parts.monotonic()
    if (now - last < HINT_INTERVAL_MS) return
    last = now
    parts.log(
      `A client connects with HTTP/2, as gRPC exporters do; this collector receives OTLP over HTTP/1.1. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and OTEL_EXPORTER_OTLP_ENDPOINT=${parts.url()} in that program.`,
    )
  }
}
