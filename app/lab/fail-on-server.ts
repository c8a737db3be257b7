'use server'

import { LabError, newMarker } from './lab-error'

export async function failOnServer(): Promise<void> {
  throw new LabError(`in a server action (${newMarker()})`)
}
