import { expect } from 'vitest'

/** Matches the seconds that remain of a limit. It tolerates 10 s, because a loaded machine reads it late. */
export const aboutSeconds = (seconds: number) =>
  expect.toSatisfy((left: number) => left <= seconds && left >= seconds - 10)

/** The first limit of an `X-Sentry-Rate-Limits` header: its seconds, and the text after them. */
export function firstLimit(header: string | null): { readonly seconds: number; readonly rest: string } {
  const [, seconds, rest = ''] = /^(\d+):(.*)$/.exec(header ?? '') ?? []
  return { seconds: Number(seconds), rest }
}
