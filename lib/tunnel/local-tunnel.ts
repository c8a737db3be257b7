import { sameProject } from '../protocol/dsn'
import { localDsn } from './local-dsn'
import { type NodeHandler, nodeHandler } from './node-handler'
import { createTunnel, type Tunnel, type TunnelOptions } from './tunnel'

export interface LocalTunnelOptions
  extends Partial<Omit<TunnelOptions, 'collectorUrl' | 'accepts' | 'projectOfKey' | 'lifeboat'>> {
  /**
   * Contains the address of the collector, and the only key and project that the tunnel accepts. Default: WAYSTATION_DSN,
   * which `waystation run` sets, else the DSN of a collector without an upstream, `http://local@127.0.0.1:8969/1`.
   */
  readonly dsn?: string
  /** Absolute. Without it, envelopes are lost while the collector is down. */
  readonly lifeboatFolder?: string
}

export { type Consent, type ConsentPolicy, consentOfRequest } from '../protocol/consent'
export { type NodeHandler, nodeHandler } from './node-handler'
export type { Tunnel } from './tunnel'

/**
 * Creates a tunnel for an app with one DSN. In a Next app, `app/tunnel/route.ts` is
 *
 *     const tunnel = localTunnel({ lifeboatFolder: '/var/lib/my-app/lifeboat' })
 *     export const POST = (request: Request) => tunnel.handle(request)
 *
 * in Hono it is `app.post('/tunnel', (c) => tunnel.handle(c.req.raw))`. The browser SDK has the option `tunnel: '/tunnel'`.
 * For spans of OpenTelemetry, `app/tunnel/v1/traces/route.ts` has a tunnel with the same folder and calls
 * `tunnel.handleTraces(request)`.
 * @throws TypeError for a malformed DSN
 */
export function localTunnel({ dsn, lifeboatFolder, ...options }: LocalTunnelOptions = {}): Tunnel {
  const local = localDsn(dsn, 'localTunnel')
  return createTunnel({
    ...options,
    collectorUrl: local.collectorUrl,
    accepts: (sent) => sameProject(sent, local.dsn),
    projectOfKey: () => local.dsn.projectId,
    lifeboat: lifeboatFolder === undefined ? null : { folder: lifeboatFolder },
  })
}

/**
 * `localTunnel` for Node's `http` and for Express, before any body parser: `app.post('/tunnel', nodeTunnel())`.
 * @throws TypeError for a malformed DSN
 */
export const nodeTunnel = (options?: LocalTunnelOptions): NodeHandler => nodeHandler(localTunnel(options))
