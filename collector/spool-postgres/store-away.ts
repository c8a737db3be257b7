/** PostgreSQL cannot be reached, or ended the connection. Errors cross threads by their name. */
export class StoreAwayError extends Error {
  static readonly NAME = 'StoreAwayError'

  /** @param place host, port and database; never the user or the password */
  constructor(place: string, why: string) {
    super(`PostgreSQL at ${place} is away: ${why}`)
    this.name = StoreAwayError.NAME
  }
}
