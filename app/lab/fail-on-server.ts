'use server'

import { LabError, newMarker } from './lab-error'

/** A server action that throws. */
export async function failOnServer(): Promise<void> {
  throw new LabError(`in a server action (${newMarker()})`)
}
