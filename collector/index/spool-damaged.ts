import { isDamage } from '../runtime/damage'

/** The record itself is damaged: nothing can be made of that, and nothing may be written to it. */
export class SpoolDamagedError extends Error {}

/** Reads the record, and tells its damage apart from that of the rows. */
export function ofSpool<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && isDamage(error)) throw new SpoolDamagedError(`spool.db: ${error.message}`)
    throw error
  }
}
