/** Units without a prefix, and those that take one. */
const PLAIN = [
  '%',
  '[ppth]',
  '[ppm]',
  '[ppb]',
  'min',
  'h',
  'd',
  'wk',
  'mo',
  'a',
  'deg',
  "'",
  "''",
  '[degF]',
  '10*',
  '10^',
  '1',
]
const METRIC = [
  's',
  'By',
  'bit',
  'm',
  'g',
  'Hz',
  'Cel',
  'K',
  'A',
  'V',
  'W',
  'J',
  'Pa',
  'N',
  'C',
  'F',
  'Ohm',
  'S',
  'mol',
  'cd',
  'rad',
  'sr',
  'lm',
  'lx',
  'L',
  'l',
  'eV',
  'B',
  'Bd',
  't',
  'bar',
]
const PREFIXES = [
  'Y',
  'Z',
  'E',
  'P',
  'T',
  'G',
  'M',
  'k',
  'h',
  'da',
  'd',
  'c',
  'm',
  'u',
  'n',
  'p',
  'f',
  'a',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
]

const escaped = (texts: readonly string[]): string =>
  texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
const ATOM = `(?:${escaped(PLAIN)}|\\d+|(?:${escaped(PREFIXES)})?(?:${escaped(METRIC)}))`
/** Curly braces enclose an annotation, which may stand alone: `{request}`. */
const COMPONENT = `(?:${ATOM}(?:[+-]?\\d+)?(?:\\{[!-z|~]*\\})?|\\{[!-z|~]*\\})`
const UNIT = new RegExp(`^/?${COMPONENT}(?:[./]${COMPONENT})*$`)

/**
 * Is it a unit of the Unified Code for Units of Measure, case sensitive? Knows the units that the semantic conventions use
 * and the common physical ones, with products, quotients and exponents, without parentheses.
 */
export const isUcum = (unit: string): boolean => UNIT.test(unit)

/** Units of Sentry's metrics and measurements, which are words, with their codes. */
const UNITS_OF_SENTRY: Readonly<Record<string, string>> = {
  none: '1',
  ratio: '1',
  percent: '%',
  nanosecond: 'ns',
  microsecond: 'us',
  millisecond: 'ms',
  second: 's',
  minute: 'min',
  hour: 'h',
  day: 'd',
  week: 'wk',
  bit: 'bit',
  byte: 'By',
  kilobyte: 'kBy',
  kibibyte: 'KiBy',
  megabyte: 'MBy',
  mebibyte: 'MiBy',
  gigabyte: 'GBy',
  gibibyte: 'GiBy',
  terabyte: 'TBy',
  tebibyte: 'TiBy',
}

/** @returns the code of a unit as sent; `null` for a word that is no unit */
export const unitCode = (unit: string): string | null => UNITS_OF_SENTRY[unit] ?? (isUcum(unit) ? unit : null)
