/** `{token}`, `${token}`, `#{token}`, `%s`, `%(token)s`, `$TOKEN`; behind the name of a scheme, too. */
const INTERPOLATION =
  /(?:(?:bearer|basic|digest|token)[ \t]{1,4})?(?:[$#]?\{{1,2}[^{}"]{0,64}\}{1,2}|%[sdrvq]\b|%\(\w{1,64}\)[sdr]?|\$(?:[A-Za-z_]\w{0,64}|\([^()]{0,64}\)))/iy

/** Where what a program puts in here when it runs ends; `at` where that is nothing. */
export function endOfInterpolation(text: string, at: number): number {
  INTERPOLATION.lastIndex = at
  return INTERPOLATION.test(text) ? INTERPOLATION.lastIndex : at
}
