import { parseDsn, sameProject } from '../protocol/dsn'
import { createTunnel, type Tunnel, type TunnelOptions } from './tunnel'

export interface LocalTunnelOptions
  extends Partial<Omit<TunnelOptions, 'collectorUrl' | 'accepts' | 'projectOfKey' | 'lifeboat'>> {
  /**
   * The local DSN: `npm start` prints it, and `waystation run` sets it as SENTRY_DSN. It contains the address of the collector
   * and the only key and project that the tunnel accepts.
   */
  readonly dsn: string
  /** Absolute. Without it, envelopes are lost while the collector is down. */
  readonly lifeboatFolder?: string
}

/**
 * Creates a tunnel for an app with one DSN. In a Next app, `app/tunnel/route.ts` is
 *
 *     const tunnel = localTunnel({ dsn: 'http://local@127.0.0.1:8969/1', lifeboatFolder: '/var/lib/my-app/lifeboat' })
 *     export const POST = (request: Request) => tunnel.handle(request)
 *
 * and the browser SDK has the option `tunnel: '/tunnel'`. For spans of OpenTelemetry, `app/tunnel/v1/traces/route.ts` has
 * a tunnel with the same folder and calls `tunnel.handleTraces(request)`.
 * @throws TypeError for a malformed DSN
 */
export function localTunnel({ dsn, lifeboatFolder, ...options }: LocalTunnelOptions): Tunnel {
  const parsed = parseDsn(dsn)
  if (!parsed.ok) throw new TypeError(`localTunnel: ${parsed.error}`)
  const { protocol, host, path } = parsed.value
  return createTunnel({
    ...options,
    collectorUrl: `${protocol}://${host}${path}`,
    accepts: (sent) => sameProject(sent, parsed.value),
    projectOfKey: () => parsed.value.projectId,
    lifeboat: lifeboatFolder === undefined ? null : { folder: lifeboatFolder },
  })
}
