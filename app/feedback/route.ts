import { environment } from '../environment'
import { showFeedback } from './receive-feedback'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

export function GET(request: Request): Response {
  const { token, hosts, appOrigins } = environment()
  return showFeedback(request, { tokenRequired: token !== undefined, hosts, origins: appOrigins })
}
