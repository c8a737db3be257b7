import type { StopRequests } from './stop-requests.js'

/** What the set-up hands over to a command. */
export interface CommandHandover {
  readonly root: string
  /** Folder of the bundles. */
  readonly bundles: string
  /** As typed behind `waystation`. */
  readonly words: readonly string[]
  readonly stop: StopRequests
}
