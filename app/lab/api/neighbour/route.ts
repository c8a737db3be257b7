import { openNeighbour } from './neighbour'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** Opens the neighbour when it is not open, and says where it listens. */
export async function POST(): Promise<Response> {
  return Response.json({ port: await openNeighbour() })
}
