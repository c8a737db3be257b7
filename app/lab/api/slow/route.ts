import { sleep } from '../../../../lib/time'

export const dynamic = 'force-dynamic'

const MAX_MS = 10_000

/** Answers after `ms` milliseconds, at most ten seconds. */
export async function GET(request: Request): Promise<Response> {
  const requested = Number(new URL(request.url).searchParams.get('ms') ?? 0)
  const ms = Number.isFinite(requested) ? Math.min(Math.max(requested, 0), MAX_MS) : 0
  await sleep(ms)
  return Response.json({ waitedMs: ms })
}
