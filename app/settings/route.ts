import { telemetrySettings } from '../environment'

export const dynamic = 'force-dynamic'

/** For documents that Next writes without the layout: they cannot carry their settings. */
export function GET(): Response {
  return Response.json(telemetrySettings(), { headers: { 'cache-control': 'no-store' } })
}
