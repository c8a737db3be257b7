import { suppressTracing } from '@sentry/nextjs'
import { refuseForm } from '../../lib/guard/access'
import { sessionHeader } from '../../lib/guard/token'
import { problemResponse } from '../../lib/wire/errors'
import { withSmallBody } from '../bodies'
import { environment } from '../environment'

const MAX_FORM_BYTES = 4 * 1024
const ANSWER_HEADERS = ['location', 'retry-after', 'content-type']

/** Passes a form of the login page on to the collector, which keeps the sessions. */
export async function forwardLogin(request: Request, action: 'enter' | 'leave'): Promise<Response> {
  const { token, hosts, appOrigins, collectorUrl } = environment()
  // A foreign page must sign nobody in or out. The token is not required here, because the form contains it.
  const refusal = refuseForm(request.headers, { tokenRequired: token !== undefined, hosts, origins: appOrigins })
  if (refusal !== null) return problemResponse(refusal.status, refusal.detail)
  return withSmallBody(request, MAX_FORM_BYTES, async (body) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...sessionHeader(request.headers) }
    const sent = { method: 'POST', headers, body, redirect: 'manual', cache: 'no-store' } as const
    try {
      return answerOf(
        await suppressTracing(() => fetch(`${collectorUrl}/login/${action}`, sent)),
        request.headers.get('origin'),
      )
    } catch (error) {
      return problemResponse(503, `the collector does not answer at ${collectorUrl}`, [String(error)])
    }
  })
}

/** Adds `Secure` only for https: a browser at a plain http address on the local network would drop the cookie. */
function answerOf(answer: Response, origin: string | null): Response {
  const headers = new Headers({ 'cache-control': 'no-store' })
  for (const name of ANSWER_HEADERS) {
    const value = answer.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  for (const cookie of answer.headers.getSetCookie())
    headers.append('set-cookie', origin?.startsWith('https:') === true ? `${cookie}; Secure` : cookie)
  return new Response(answer.body, { status: answer.status, headers })
}
