/** What the address of `/traces` says: `?q=` words to filter by, `?only=errors`. */
export const FILTER_PARAM = 'q'
export const ONLY_PARAM = 'only'
export const ONLY_ERRORS = 'errors'
