/** The rows' file is damaged, which is no end: they are made again. Its words are not those of a damaged record. */
export class RowsDamagedError extends Error {
  /** Errors cross threads by their name. */
  static readonly NAME = 'RowsDamagedError'

  constructor(cause: Error) {
    super(`the rows are damaged, and are made again from the record (${cause.message.replace(/malformed/g, 'broken')})`)
    this.name = RowsDamagedError.NAME
  }
}
