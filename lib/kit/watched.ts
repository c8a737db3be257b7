import type { SeenRequest } from '../verdict/rules/rule'

/** What was seen beside the record, by whoever drives a browser. `null` where nobody watched. */
export interface Watched {
  readonly requests: readonly SeenRequest[] | null
  /** Text of error fallbacks that stood on pages. */
  readonly fallbacks: readonly { readonly pageUrl: string; readonly text: string }[] | null
}
