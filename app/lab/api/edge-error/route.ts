import { LabError, newMarker } from '../../lab-error'

export const runtime = 'edge'
export const dynamic = 'force-dynamic'

export function POST(): Response {
  throw new LabError(`in the edge runtime (${newMarker()})`)
}
