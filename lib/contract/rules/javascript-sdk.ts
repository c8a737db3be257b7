/**
 * Was it sent by an SDK of the JavaScript family? The settings of this contract are theirs; what another SDK does by its
 * own settings breaks none of them.
 */
export const isJavaScript = (sdk: string | null): boolean => sdk?.startsWith('sentry.javascript.') === true
