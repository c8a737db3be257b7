import { expect } from 'vitest'

/** What is left of so many seconds a moment later, which may be long where the machine does much else. */
export const aboutSeconds = (seconds: number) =>
  expect.toSatisfy((left: number) => left <= seconds && left >= seconds - 10)

/** The first limit of an `X-Sentry-Rate-Limits`: its seconds, and all that follows them. */
export function firstLimit(header: string | null): { readonly seconds: number; readonly rest: string } {
  const [, seconds, rest = ''] = /^(\d+):(.*)$/.exec(header ?? '') ?? []
  return { seconds: Number(seconds), rest }
}
