/** `ts` and `js` differ in their type annotations only. */
export type Language = 'ts' | 'js'
export type Version = readonly [major: number, minor: number]

const isAtLeast = ([major, minor]: Version, [otherMajor, otherMinor]: Version): boolean =>
  major > otherMajor || (major === otherMajor && minor >= otherMinor)

/** The text of `app/tunnel/route.ts`. */
export const tunnelRoute = (dsn: string, language: Language): string => `import { resolve } from 'node:path'
import { localTunnel } from '../../waystation-tunnel.mjs'

// \`waystation run\` starts its own collector and sets WAYSTATION_DSN to it.
const dsn = process.env.WAYSTATION_DSN ?? '${dsn}'
const tunnel = localTunnel({ dsn, lifeboatFolder: resolve('.lifeboat') })

export const POST = (request${typed(language, ': Request')})${typed(language, ': Promise<Response>')} => tunnel.handle(request)
`

const typed = (language: Language, annotation: string): string => (language === 'ts' ? annotation : '')

/** The text of `instrumentation-client.ts`, before SDK 9 of `sentry.client.config.ts`. */
export const nextBrowser = (dsn: string, version: Version): string => `import * as Sentry from '@sentry/nextjs'

Sentry.init({
  dsn: '${dsn}',
  tunnel: '/tunnel',
  tracesSampleRate: 1,
  // Names the page load: only then can be judged whether it obeys rate limits.
  transportOptions: { headers: { 'x-waystation-page': Math.random().toString(36).slice(2) } },
})
${isAtLeast(version, [9, 12]) ? '\nexport const onRouterTransitionStart = Sentry.captureRouterTransitionStart\n' : ''}`

/** The text of `instrumentation.ts`, of SDK 7 that of `sentry.server.config.ts`. */
export function nextServer(dsn: string, version: Version, language: Language): string {
  const value = `process.env.WAYSTATION_DSN ?? '${dsn}'`
  const register = `export function register()${typed(language, ': void')} {`
  const onRequestError = isAtLeast(version, [8, 28])
    ? '\nexport const onRequestError = Sentry.captureRequestError\n'
    : ''
  if (version[0] >= 11)
    return `import * as Sentry from '@sentry/nextjs'

${register}
  Sentry.init({ dsn: ${value}, tracesSampleRate: 1 })
  // The server must not trace its own tunnel: each envelope would cause another one, or be counted as not sent.
  const suppressed = Sentry.suppressTracing(() => Sentry.getCurrentScope().getScopeData().sdkProcessingMetadata)
  Sentry.getClient()?.on('httpServerRequest', (_request, _response, { url = '' }) => {
    if (/^https?:\\/\\/[^/]+\\/tunnel\\b/.test(url)) Sentry.getCurrentScope().setSDKProcessingMetadata(suppressed)
  })
}
${onRequestError}`
  if (version[0] >= 8)
    return `import * as Sentry from '@sentry/nextjs'

${register}
  Sentry.init({
    dsn: ${value},
    // The server must not trace its own tunnel: each envelope would cause another one.
    ${nextSampler(version[0])},
  })
}
${onRequestError}`
  return `import * as Sentry from '@sentry/nextjs'

Sentry.init({
  dsn: ${value},
  // The server must not trace its own tunnel: each envelope would cause another one.
  ${nextSampler(version[0])},
})
`
}

/** The sampler that leaves out the tunnel, for SDKs before 11: there nothing can mark the scope of a request. */
function nextSampler(major: number): string {
  if (major <= 7)
    return `tracesSampler: ({ transactionContext, parentSampled }) =>
    transactionContext.name.includes('/tunnel') ? 0 : (parentSampled ?? 1)`
  const [name, decision] =
    major >= 10 ? ['inheritOrSampleWith', 'inheritOrSampleWith(1)'] : ['parentSampled', '(parentSampled ?? 1)']
  return `tracesSampler: ({ attributes, ${name} }) =>
      String(attributes?.['http.target'] ?? '').startsWith('/tunnel') ? 0 : ${decision}`
}

/** The module that exports `withSentryConfig`. */
export const configModule = ([major]: Version): string => (major >= 11 ? '@sentry/nextjs/config' : '@sentry/nextjs')

/** The options of `withSentryConfig` after the configuration. */
export const configOptions = ([major]: Version): string =>
  major >= 8
    ? '{ telemetry: false, silent: true, sourcemaps: { disable: true } }'
    : '{ silent: true }, { disableServerWebpackPlugin: true, disableClientWebpackPlugin: true }'
