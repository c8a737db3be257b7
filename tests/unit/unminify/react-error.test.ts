import { describe, expect, it } from 'vitest'
import { decodeReactError } from '../../../lib/unminify/react-error'

const minified = (number: number, query = ''): string =>
  `Minified React error #${number}; visit https://react.dev/errors/${number}${query} for the full message or use the non-minified dev environment for full errors and additional helpful warnings.`

describe('a minified React error', () => {
  it.each([
    [
      minified(306, '?args[]=object&args[]='),
      /^Element type is invalid\. Received a promise that resolves to: object\./,
    ],
    [
      minified(418, '?args[]=HTML&args[]='),
      /^Hydration failed because the server rendered HTML didn't match the client\./,
    ],
    [minified(441), /^An error occurred in the Server Components render\./],
    [minified(185), /^Maximum update depth exceeded\./],
    [`Uncaught Error: ${minified(31, '?args[]=object%20with%20keys%20%7Ba%7D')}`, /\(found: object with keys \{a\}\)/],
  ])('is decoded: %s', (message, decoded) => {
    expect(decodeReactError(message)).toMatch(decoded)
    expect(decodeReactError(message)).not.toContain('%s')
  })

  it.each(['declined', minified(9999), 'Minified React error #constructor'])('is not %s', (message) => {
    expect(decodeReactError(message)).toBeNull()
  })
})
