/** It cannot be told what of a record is secret: it must not leave as it is. Errors cross threads by their name. */
export class UnscrubbedError extends Error {
  static readonly NAME = 'UnscrubbedError'

  constructor(why: string) {
    super(`the record could not be scrubbed: ${why}`)
    this.name = UnscrubbedError.NAME
  }
}
