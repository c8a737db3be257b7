/** C0 and C1 controls, the marks that turn text around, and the ends of lines that only some programs see. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * Text of somebody else, safe to print on one line: what a terminal would obey instead of showing is shown as its code.
 */
export const plainText = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
