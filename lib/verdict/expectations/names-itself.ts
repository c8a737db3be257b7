import { PAGE_HEADER } from '../../protocol/request'

/** The line by which a client names its page load, for a person: the app of this repository has it. */
export const NAMES_ITSELF = `transportOptions: { headers: { '${PAGE_HEADER}': crypto.randomUUID() } } in its Sentry.init (stampHeaders() of waystation/vitest has it)`
