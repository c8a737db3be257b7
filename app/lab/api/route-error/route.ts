import { LabError, newMarker } from '../../lab-error'

export const dynamic = 'force-dynamic'

export function POST(): Response {
  throw new LabError(`in a route handler (${newMarker()})`)
}
