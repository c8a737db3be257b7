/** The version of the shapes of all answers. Pages of another build refuse them instead of misreading them. */
export const WIRE_VERSION = '1'

/** The response header that names it, on answers of `/query` and `/control`. */
export const WIRE_HEADER = 'x-waystation-wire'
