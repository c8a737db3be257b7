import { randomUUID } from 'node:crypto'
import { FEEDBACK_PATH } from '../../../lib/sdk/paths'
import { appBodies } from '../../bodies'
import { environment, telemetrySettings } from '../../environment'
import { appTunnel } from '../../tunnel/app-tunnel'
import { createFeedbackLimiter } from '../feedback-limiter'
import { receiveFeedback } from '../receive-feedback'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

const limiter = createFeedbackLimiter(() => performance.now())

/** Leads to the form: people reload the address of an answer. */
export const GET = (): Response => new Response(null, { status: 303, headers: { location: FEEDBACK_PATH } })

export function POST(request: Request): Promise<Response> {
  const { token, hosts, appOrigins } = environment()
  return receiveFeedback(request, {
    policy: { tokenRequired: token !== undefined, hosts, origins: appOrigins },
    settings: telemetrySettings(),
    send: appTunnel().send,
    limiter,
    bodies: appBodies(),
    now: Date.now,
    newUuid: randomUUID,
  })
}
