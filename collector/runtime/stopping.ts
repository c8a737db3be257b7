/** Somebody was asked for something after it was asked to stop: nothing has failed, there is only nobody left to do it. */
export class StoppingError extends Error {
  constructor() {
    super('the collector is stopping')
    this.name = 'StoppingError'
  }
}
