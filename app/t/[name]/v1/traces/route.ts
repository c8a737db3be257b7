import { atTunnelPath } from '../../../../tunnel/app-tunnel'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** The tunnel of OpenTelemetry under the name of `WAYSTATION_TUNNEL_PATH`. */
export const POST = (request: Request): Promise<Response> =>
  atTunnelPath(request, '/v1/traces', (tunnel) => tunnel.handleTraces(request))
