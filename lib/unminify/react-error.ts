import codes from './react-codes.json' with { type: 'json' }

const MINIFIED = /Minified React error #(\d{1,4})(?:; visit (\S+))?/

/** Placeholders without a value become empty, as in React's own page of errors. */
const MESSAGES: Readonly<Record<string, string>> = codes

/**
 * The message of an error of a production build of React: `Minified React error #418; visit https://react.dev/errors/418?args[]=…`.
 * @returns `null` for another message, and for a number that the list does not have
 */
export function decodeReactError(message: string): string | null {
  const [, number = '', visit = ''] = MINIFIED.exec(message) ?? []
  const template = Object.hasOwn(MESSAGES, number) ? MESSAGES[number] : undefined
  if (template === undefined) return null
  const args = URL.canParse(visit) ? new URL(visit).searchParams.getAll('args[]') : []
  let next = 0
  return template.replace(/%s/g, () => args[next++] ?? '')
}
