/** The words of SQLite and of the system for a disk that takes no more. */
const WORDS = /disk is full|database or disk is full|disk I\/O error|SQLITE_FULL|SQLITE_IOERR|ENOSPC|EDQUOT/i

/** Errors cross threads by their message, so it is what is looked at. */
export const isDiskFull = (error: Error): boolean => WORDS.test(error.message)
