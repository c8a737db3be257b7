/**
 * A promise that knows whether anybody took it. One that fails and that nobody took ends no process: whoever made it
 * asks at the end, and tells.
 */
export class WatchedPromise<Value> extends Promise<Value> {
  #taken = false

  // What is derived from it is an ordinary promise; a subclass also makes `await` call `then`, which a plain one does not.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of<Made>(made: Promise<Made>): WatchedPromise<Made> {
    const watched = new WatchedPromise<Made>((resolve, reject) => {
      made.then(resolve, reject)
    })
    watched.catch(() => undefined)
    watched.#taken = false
    return watched
  }

  get taken(): boolean {
    return this.#taken
  }

  override then<Kept = Value, Mended = never>(
    onKept?: ((value: Value) => Kept | PromiseLike<Kept>) | null,
    onBroken?: ((reason: unknown) => Mended | PromiseLike<Mended>) | null,
  ): Promise<Kept | Mended> {
    this.#taken = true
    return super.then(onKept, onBroken)
  }
}
