import { join } from 'node:path'
import * as Sentry from '@sentry/nextjs'
import { acceptsProject } from '../../lib/config/environment'
import { dataFolder } from '../../lib/config/folders'
import { isOwnOrLoopbackOrigin } from '../../lib/tunnel/origin'
import { createTunnel, type Tunnel } from '../../lib/tunnel/tunnel'
import { environment } from '../environment'

const KEY = Symbol.for('waystation.tunnel')

/**
 * The one tunnel of this process, shared by the route and the server SDK's transport. It hangs on the global object
 * because Next bundles `instrumentation.ts` and each route apart, and two tunnels would be two lifeboats.
 */
export function appTunnel(): Tunnel {
  const shared = globalThis as typeof globalThis & { [KEY]?: Tunnel }
  shared[KEY] ??= makeTunnel()
  return shared[KEY]
}

function makeTunnel(): Tunnel {
  const settings = environment()
  return createTunnel({
    collectorUrl: settings.collectorUrl,
    admits: (sent) => acceptsProject(settings, sent),
    allowsOrigin: (origin, host) =>
      isOwnOrLoopbackOrigin(origin, host) || (origin !== null && settings.origins.includes(origin)),
    lifeboat: { folder: join(dataFolder(settings.dataFolder, process.cwd()), 'lifeboat') },
    maxBytes: settings.limits.wire,
    maxHeaderLine: settings.limits.header_line,
    trustForwardedFor: settings.trustForwardedFor,
    fetch: (url, init) => Sentry.suppressTracing(() => fetch(url, init)),
  })
}
