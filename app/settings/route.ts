import { telemetrySettings } from '../environment'

export const dynamic = 'force-dynamic'

/** Serves the settings to documents that Next renders without the root layout, which normally contains them. */
export function GET(): Response {
  return Response.json(telemetrySettings(), { headers: { 'cache-control': 'no-store' } })
}
