import { join } from 'node:path'
import * as Sentry from '@sentry/nextjs'
import { acceptsProject, projectOfKey } from '../../lib/config/environment'
import { dataFolder } from '../../lib/config/folders'
import { consentOfRequest } from '../../lib/protocol/consent'
import { isOwnOrLoopbackOrigin, isPageOfHost } from '../../lib/tunnel/read-request'
import { createTunnel, type Tunnel } from '../../lib/tunnel/tunnel'
import { problemResponse } from '../../lib/wire/errors'
import { appBodies } from '../bodies'
import { environment } from '../environment'

const KEY = Symbol.for('waystation.tunnel')

/** The only tunnel of this process. On `globalThis`, because Next bundles each route separately. */
export function appTunnel(): Tunnel {
  const shared = globalThis as typeof globalThis & { [KEY]?: Tunnel }
  shared[KEY] ??= createAppTunnel()
  return shared[KEY]
}

/**
 * Answers at the configured path of the tunnel, and 404 at any other name.
 * @param below the end of the path after that of the tunnel
 */
export async function atTunnelPath(
  request: Request,
  below: string,
  answer: (tunnel: Tunnel) => Promise<Response>,
): Promise<Response> {
  const { tunnelPath } = environment()
  if (new URL(request.url).pathname === `${tunnelPath}${below}`) return answer(appTunnel())
  return problemResponse(404, 'no tunnel has this name; WAYSTATION_TUNNEL_PATH sets it')
}

function createAppTunnel(): Tunnel {
  const settings = environment()
  return createTunnel({
    collectorUrl: settings.collectorUrl,
    accepts: (sent) => acceptsProject(settings, sent),
    projectOfKey: (publicKey) => projectOfKey(settings, publicKey),
    allowsOrigin: (origin, host) =>
      isOwnOrLoopbackOrigin(origin, host) || (origin !== null && settings.origins.includes(origin)),
    isOwnPage: (origin, host) =>
      isPageOfHost(origin, host) || (origin !== null && settings.appOrigins.includes(origin)),
    lifeboat: { folder: join(dataFolder(settings.dataFolder, process.cwd()), 'lifeboat') },
    maxBytes: settings.sizeLimits.wire,
    bodies: appBodies(),
    maxHeaderLine: settings.sizeLimits.header_line,
    identifies: () => true,
    consent: (headers) => consentOfRequest(headers, settings.consent),
    ...(settings.token !== undefined && { token: settings.token }),
    trustForwardedFor: settings.trustForwardedFor,
    fetch: (url, init) => Sentry.suppressTracing(() => fetch(url, init)),
  })
}
