import type { BrowserOptions } from '@sentry/nextjs'

type DataCollection = NonNullable<BrowserOptions['dataCollection']>

/** Headers that explain a request to the person inspecting it, and name nobody. */
const HEADERS = [
  'accept',
  'accept-language',
  'content-length',
  'content-type',
  'host',
  'next-action',
  'next-router-prefetch',
  'origin',
  'rsc',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'user-agent',
]

/**
 * What an inspector needs and no more. The SDK collects everything when nothing is said, so each kind is named here:
 * no cookies, no bodies, no auth headers, no user, no local variables.
 */
export const DATA_COLLECTION: DataCollection = {
  userInfo: false,
  cookies: false,
  httpHeaders: { request: { allow: HEADERS }, response: { allow: ['content-length', 'content-type'] } },
  httpBodies: [],
  urlQueryParams: true,
  graphQL: { document: false, variables: false },
  genAI: { inputs: false, outputs: false },
  databaseQueryData: false,
  queues: false,
  stackFrameVariables: false,
  frameContextLines: 5,
}
