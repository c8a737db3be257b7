import { forwardLogin } from '../forward'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

export const POST = (request: Request): Promise<Response> => forwardLogin(request, 'enter')
