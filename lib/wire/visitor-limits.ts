/* Threads of the spool import this file, so it has no schema. */

/** Visitors that one request names: the ids of one browser. */
export const MOST_VISITORS = 32
/** The counts of a list cover the newest records of the visitor, as many as this. */
export const COUNTED_RECORDS = 1000
/** Records of one page of the list. */
export const MOST_VISITOR_RECORDS = 100
