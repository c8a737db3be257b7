import { setTimeout as wait } from 'node:timers/promises'

export const dynamic = 'force-dynamic'

const MAX_MS = 10_000

/** Answers after as long as it is told, and no longer than ten seconds. */
export async function GET(request: Request): Promise<Response> {
  const asked = Number(new URL(request.url).searchParams.get('ms') ?? 0)
  const ms = Number.isFinite(asked) ? Math.min(Math.max(asked, 0), MAX_MS) : 0
  await wait(ms)
  return Response.json({ waitedMs: ms })
}
