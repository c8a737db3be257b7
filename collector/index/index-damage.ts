import { isDamage } from '../runtime/sqlite-errors'

/** The rows' file is damaged, which is no end: they are made again. Its words are not those of a damaged record. */
export class IndexDamagedError extends Error {
  /** Errors cross threads by their name. */
  static readonly NAME = 'RowsDamagedError'

  constructor(cause: Error) {
    super(`the rows are damaged, and are made again from the record (${cause.message.replace(/malformed/g, 'broken')})`)
    this.name = IndexDamagedError.NAME
  }
}

/** The record itself is damaged: nothing can be made of that, and nothing may be written to it. */
export class SpoolDamagedError extends Error {}

/** Reads the record, and tells its damage apart from that of the rows. */
export function fromSpool<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && isDamage(error)) throw new SpoolDamagedError(`spool.db: ${error.message}`)
    throw error
  }
}
