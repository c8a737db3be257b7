import { number, text } from '../json-value'

/** Statuses that are no errors; every other status of the static lifecycle is one. */
export const NO_ERRORS = ['ok', 'cancelled', 'unset'] as const

/** @param status as sent; `null` is no error */
export const isErrorStatus = (status: string | null): boolean =>
  status !== null && !NO_ERRORS.some((one) => one === status)

/** The HTTP status of a span: the present name of the attribute, then its older one. */
export function httpStatusOf(attributes: Readonly<Record<string, unknown>>): number | null {
  const value = attributes['http.response.status_code'] ?? attributes['http.status_code']
  const status = number(value) ?? Number(text(value) ?? Number.NaN)
  return Number.isInteger(status) && status > 0 ? status : null
}
