/** What the address of `/events` says: `?q=` words to filter by. */
export const FILTER_PARAM = 'q'
