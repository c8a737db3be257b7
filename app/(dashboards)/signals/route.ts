import { movedTo } from '../../../lib/wire/pages'

/** The address of logs and metrics in earlier versions. */
export function GET(request: Request): Response {
  const { pathname, search } = new URL(request.url)
  return new Response(null, { status: 308, headers: { location: movedTo(pathname, search) ?? '/' } })
}
