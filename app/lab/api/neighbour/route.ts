import { openNeighbour } from './neighbour'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** Opens the neighbour if needed and returns its port. */
export async function POST(): Promise<Response> {
  return Response.json({ port: await openNeighbour() })
}
