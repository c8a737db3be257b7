'use server'

import { LabError, newMarker } from './lab-error'

/** A server action that fails. */
export async function failOnServer(): Promise<void> {
  throw new LabError(`in a server action (${newMarker()})`)
}
