/** The collector is stopping, so a call was not made or not finished. Nothing failed. */
export class StoppingError extends Error {
  constructor() {
    super('the collector is stopping')
    this.name = 'StoppingError'
  }
}

/** Scrubbing a record failed, so its secrets are unknown: it must not leave as it is. Errors cross threads by their name. */
export class UnscrubbedError extends Error {
  static readonly NAME = 'UnscrubbedError'

  constructor(why: string) {
    super(`the record could not be scrubbed: ${why}`)
    this.name = UnscrubbedError.NAME
  }
}
