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

const LOG_INTERVAL_MS = 60_000

/** Logs a line at most once a minute for each key: exporters repeat themselves every few seconds. @param parts.monotonic ms, by a clock that is never set */
export function createRareLog(parts: {
  readonly log: (line: string) => void
  readonly monotonic: () => number
}): (key: string, line: string) => void {
  const last = new Map<string, number>()
  return (key, line) => {
    const now = parts.monotonic()
    if (now - (last.get(key) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return
    last.set(key, now)
    parts.log(line)
  }
}

/** How to switch a gRPC exporter to HTTP. */
export const grpcHint = (url: string): string =>
  `A client connects with HTTP/2, as gRPC exporters do; this collector receives OTLP over HTTP/1.1. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and OTEL_EXPORTER_OTLP_ENDPOINT=${url} in that program.`
