import * as Sentry from '@sentry/nextjs'
import { createDiagnostics } from '../../lib/diagnostics/diagnostics'
import { refuseHost } from '../../lib/guard/access'
import { commonOptions, PAGE_SAMPLE_RATE } from '../../lib/sdk/settings'
import { problemResponse } from '../../lib/wire/errors'
import { environment, telemetrySettings } from '../environment'
import { appTunnel } from '../tunnel/app-tunnel'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

export const GET = (request: Request): Promise<Response> => answer(request)
export const POST = (request: Request): Promise<Response> => answer(request)

async function answer(request: Request): Promise<Response> {
  const { token, hosts, appOrigins, collectorUrl, trustForwardedFor, scrubStore, consent } = environment()
  // With a token, the app may be reached under any name.
  const refusal = token === undefined ? refuseHost(request.headers.get('host'), hosts) : null
  if (refusal !== null) return problemResponse(refusal.status, refusal.detail)
  const handle = createDiagnostics({
    collectorUrl,
    ...(token !== undefined && { token }),
    tunnel: appTunnel(),
    pageOptions: { ...commonOptions(telemetrySettings()), tracesSampleRate: PAGE_SAMPLE_RATE },
    recordsAddress: trustForwardedFor && !scrubStore,
    consent,
    origins: appOrigins,
    fetch: (url, init) => Sentry.suppressTracing(() => fetch(url, init)),
  })
  return handle(request)
}
