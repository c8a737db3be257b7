import * as Sentry from '@sentry/nextjs'
import { accessRequestOf, refuseAccess } from '../../../lib/guard/access'
import { problemResponse } from '../../../lib/wire/errors'
import { environment } from '../../environment'
import { passThrough } from './pass-through'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

interface Context {
  readonly params: Promise<{ readonly path: readonly string[] }>
}

export const GET = (request: Request, context: Context): Promise<Response> => mount(request, context, 'read')
export const POST = (request: Request, context: Context): Promise<Response> => mount(request, context, 'change')

async function mount(request: Request, { params }: Context, intent: 'read' | 'change'): Promise<Response> {
  const { token, hosts, appOrigins, collectorUrl } = environment()
  const policy = { tokenRequired: token !== undefined, hosts, origins: appOrigins }
  // The collector asks for the token or a session itself.
  const refusal = refuseAccess(accessRequestOf(request.headers, token !== undefined), policy, intent)
  if (refusal !== null) return problemResponse(refusal.status, refusal.detail)
  const { path } = await params
  return Sentry.suppressTracing(() => passThrough(request, path, { collectorUrl, fetchLike: fetch }))
}
