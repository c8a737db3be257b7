/** Statuses that are no errors; every other status of the static lifecycle is one. */
export const NO_ERRORS = ['ok', 'cancelled', 'unset'] as const

/** @param status as sent; `null` is no error */
export const isErrorStatus = (status: string | null): boolean =>
  status !== null && !NO_ERRORS.some((one) => one === status)
