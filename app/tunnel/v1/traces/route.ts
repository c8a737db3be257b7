import { appTunnel } from '../../app-tunnel'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

export const POST = (request: Request): Promise<Response> => appTunnel().handleTraces(request)
