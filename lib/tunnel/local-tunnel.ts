import { parseDsn, sameProject } from '../protocol/dsn'
import { createTunnel, type Tunnel, type TunnelOptions } from './tunnel'

export interface LocalTunnelOptions extends Partial<Omit<TunnelOptions, 'collectorUrl' | 'admits' | 'lifeboat'>> {
  /** The local DSN, which `waystation run` gives in SENTRY_DSN and `npm start` prints: where the collector is, and the one key and project that is taken. */
  readonly dsn: string
  /** Absolute; without it nothing is kept while the collector is down. */
  readonly lifeboatFolder?: string
}

/**
 * A tunnel for an app with one DSN. In a Next app, `app/tunnel/route.ts` is
 *
 *     const tunnel = localTunnel({ dsn: 'http://local@127.0.0.1:8969/1', lifeboatFolder: '/var/lib/my-app/lifeboat' })
 *     export const POST = (request: Request) => tunnel.handle(request)
 *
 * and the SDK of its pages says `tunnel: '/tunnel'`.
 */
export function localTunnel({ dsn, lifeboatFolder, ...options }: LocalTunnelOptions): Tunnel {
  const parsed = parseDsn(dsn)
  if (!parsed.ok) throw new TypeError(`localTunnel: ${parsed.error}`)
  const { protocol, host, path } = parsed.value
  return createTunnel({
    ...options,
    collectorUrl: `${protocol}://${host}${path}`,
    admits: (sent) => sameProject(sent, parsed.value),
    lifeboat: lifeboatFolder === undefined ? null : { folder: lifeboatFolder },
  })
}
