import { atTunnelPath } from '../../tunnel/app-tunnel'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** The tunnel under the name of `WAYSTATION_TUNNEL_PATH`. */
export const POST = (request: Request): Promise<Response> =>
  atTunnelPath(request, '', (tunnel) => tunnel.handle(request))
