import type { StopRequests } from '../launch/stop-requests.js'

/** What the set-up hands over to a command. */
export interface CommandHandover {
  /** The folder of Waystation; of a package that of the project that the command is typed in. */
  readonly root: string
  /** Folder of the bundles. */
  readonly bundles: string
  /** As typed behind `waystation`. */
  readonly words: readonly string[]
  readonly stop: StopRequests
  /** Installed in another project: there are no sources, no app and no boards beside it. */
  readonly packaged: boolean
}
