/** C0 and C1 controls, and the marks that turn text around: what a terminal obeys instead of showing. */
const UNPRINTABLE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Text from the environment, safe to print: what a terminal would obey is shown as its code. */
export const plainText = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
