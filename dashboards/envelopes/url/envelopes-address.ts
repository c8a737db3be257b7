/** What the address of `/envelopes` says: `?q=` words to filter by. */
export const FILTER_PARAM = 'q'
