import { describe, expect, it } from 'vitest'
import { sourceOf } from '../../repo/sources.js'
import { DSN, type Files, planned } from './init-project'

/** The files of create-next-app 16. */
const CONFIG_TS = `import type { NextConfig } from "next";

const nextConfig: NextConfig = {
  /* config options here */
  cacheComponents: true,
};

export default nextConfig;
`
const CONFIG_MJS = `/** @type {import('next').NextConfig} */
const nextConfig = {
  /* config options here */
  reactStrictMode: true,
};

export default nextConfig;
`
const nextApp = (sdk: string | null, files: Files = { 'app/page.tsx': '' }): Files => ({
  'package.json': JSON.stringify({ dependencies: { next: '16.4.3', ...(sdk && { '@sentry/nextjs': sdk }) } }),
  '.gitignore': 'node_modules',
  ...files,
})
const TYPED = { 'app/page.tsx': '', 'tsconfig.json': '{}', 'next.config.ts': CONFIG_TS }

describe('an app with the router of app/', () => {
  const { changes, packages, steps, after } = planned(nextApp(null, TYPED))

  it('gets SDK 11 and the files of the README', () => {
    expect(packages).toEqual(['@sentry/nextjs@11'])
    for (const path of ['app/tunnel/route.ts', 'instrumentation-client.ts', 'instrumentation.ts'])
      expect(changes[path]).toBe(sourceOf(`tests/fixtures/own-next-app/${path}`))
    expect(changes['waystation-tunnel.mjs']).toBe('the tunnel\n')
    expect(changes['.gitignore']).toBe('node_modules\n.lifeboat/\n')
    expect(steps).toEqual([])
  })

  it('keeps its configuration and wraps it', () => {
    expect(changes['next.config.ts']).toBe(
      `import { withSentryConfig } from "@sentry/nextjs/config";\n${CONFIG_TS.replace(
        'export default nextConfig;',
        'export default withSentryConfig(nextConfig, { telemetry: false, silent: true, sourcemaps: { disable: true } });',
      )}`,
    )
  })

  it('is as it is the second time, also with other quotes', () => {
    expect(planned(after)).toMatchObject({ changes: {}, steps: [] })
    const formatted = {
      ...after,
      'instrumentation-client.ts': (changes['instrumentation-client.ts'] ?? '').replaceAll("'", '"'),
    }
    expect(planned(formatted)).toMatchObject({ changes: {}, steps: [] })
  })

  it('gets another DSN when it is named', () => {
    const dsn = 'http://key@127.0.0.1:9000/7'
    const moved = planned(after, { dsn, replacesDsn: true })
    expect(Object.keys(moved.changes)).toEqual([
      'app/tunnel/route.ts',
      'instrumentation-client.ts',
      'instrumentation.ts',
    ])
    expect(moved.changes['instrumentation-client.ts']).toContain(`dsn: '${dsn}'`)
    expect(Object.values(moved.changes).join('')).not.toContain(DSN)
  })
})

describe('other layouts of a Next app', () => {
  it('with pages/ and JavaScript get the same files without types', () => {
    const { changes } = planned(nextApp(null, { 'pages/index.js': '', 'next.config.mjs': CONFIG_MJS }))
    expect(Object.keys(changes)).toEqual([
      'waystation-tunnel.mjs',
      '.gitignore',
      'app/tunnel/route.js',
      'instrumentation-client.js',
      'instrumentation.js',
      'next.config.mjs',
    ])
    expect(changes['app/tunnel/route.js']).toContain('export const POST = (request) => tunnel.handle(request)')
    expect(changes['instrumentation.js']).toContain('export function register() {')
    expect(changes['next.config.mjs']).toContain("import { withSentryConfig } from '@sentry/nextjs/config';\n/** @type")
  })

  it('with src/ get them there', () => {
    const { changes } = planned(nextApp(null, { 'src/pages/index.js': '', 'tsconfig.json': '' }))
    expect(Object.keys(changes)).toEqual([
      'src/waystation-tunnel.mjs',
      '.gitignore',
      'src/app/tunnel/route.ts',
      'src/instrumentation-client.ts',
      'src/instrumentation.ts',
      'next.config.mjs',
    ])
  })

  it('without a configuration get one that publishes no source maps', () => {
    expect(planned(nextApp(null)).changes['next.config.mjs']).toBe(
      `import { withSentryConfig } from '@sentry/nextjs/config'\n\nexport default withSentryConfig({}, { telemetry: false, silent: true, sourcemaps: { disable: true } })\n`,
    )
  })

  it('with a CommonJS configuration require it, after comments at its top', () => {
    const before = '// @ts-check\nconst nextConfig = {}\n\nmodule.exports = nextConfig\n'
    expect(planned(nextApp('^10', { 'app/page.js': '', 'next.config.js': before })).changes['next.config.js']).toBe(
      `// @ts-check\nconst { withSentryConfig } = require('@sentry/nextjs')\n\nconst nextConfig = {}\n\nmodule.exports = withSentryConfig(nextConfig, { telemetry: false, silent: true, sourcemaps: { disable: true } })\n`,
    )
  })
})

describe('the version of the SDK decides', () => {
  const SAMPLER_10 = `tracesSampler: ({ attributes, inheritOrSampleWith }) =>
      String(attributes?.['http.target'] ?? '').startsWith('/tunnel') ? 0 : inheritOrSampleWith(1),`
  const SAMPLER_9 = `tracesSampler: ({ attributes, parentSampled }) =>
      String(attributes?.['http.target'] ?? '').startsWith('/tunnel') ? 0 : (parentSampled ?? 1),`
  const SAMPLER_7 = `tracesSampler: ({ transactionContext, parentSampled }) =>
    transactionContext.name.includes('/tunnel') ? 0 : (parentSampled ?? 1),`
  it.each([
    ['11.8.0', 'instrumentation-client.js', 'instrumentation.js', "on('httpServerRequest'", true, true],
    ['10.2.0', 'instrumentation-client.js', 'instrumentation.js', SAMPLER_10, true, true],
    ['9.12.0', 'instrumentation-client.js', 'instrumentation.js', SAMPLER_9, true, true],
    ['9.11.0', 'instrumentation-client.js', 'instrumentation.js', SAMPLER_9, false, true],
    ['8.28.0', 'sentry.client.config.js', 'instrumentation.js', SAMPLER_9, false, true],
    ['8.27.0', 'sentry.client.config.js', 'instrumentation.js', SAMPLER_9, false, false],
    ['7.120.4', 'sentry.client.config.js', 'sentry.server.config.js', SAMPLER_7, false, false],
  ])('SDK %s', (version, browser, server, decision, hasTransitions, hasRequestError) => {
    const { changes, packages, steps, after } = planned(nextApp(version))
    expect(packages).toEqual([])
    expect(Object.keys(changes).slice(-3)).toEqual([browser, server, 'next.config.mjs'])
    expect(changes[server]).toContain(decision)
    expect(/captureRouterTransitionStart/.test(changes[browser] ?? '')).toBe(hasTransitions)
    expect(/captureRequestError/.test(changes[server] ?? '')).toBe(hasRequestError)
    expect(changes['next.config.mjs']).toContain(
      version.startsWith('11') ? "'@sentry/nextjs/config'" : "'@sentry/nextjs'",
    )
    expect(steps).toEqual([])
    expect(planned(after)).toMatchObject({ changes: {}, steps: [] })
  })

  it.each([
    [nextApp('^6.1.0'), 'needs @sentry/nextjs 7 or newer; yours is 6.1'],
    [
      { 'package.json': JSON.stringify({ dependencies: { next: '13.3.0' } }) },
      'needs next 13.4 or newer; yours is 13.3',
    ],
  ])('an older one is refused, with the DSN', (files: Files, message) => {
    const { changes, packages, steps } = planned(files)
    expect([changes, packages]).toEqual([{}, []])
    expect(steps).toEqual([{ title: expect.stringContaining(message), paste: `${DSN}\n` }])
  })
})

describe('files that init does not edit', () => {
  it.each([
    ['export default { reactStrictMode: true }\n'],
    ['export default defineConfig(nextConfig)\n'],
    ['export default async () => nextConfig\n'],
  ])('%j: prints how to wrap it', (text) => {
    const { changes, steps } = planned(nextApp(null, { 'app/page.js': '', 'next.config.js': text }))
    expect(changes['next.config.js']).toBeUndefined()
    expect(steps).toEqual([
      {
        title: expect.stringMatching(/^next\.config\.js has a shape/),
        paste: expect.stringContaining('withSentryConfig(yourConfig, '),
      },
    ])
  })

  it('an SDK that is set up otherwise stays, under its older name, too', () => {
    const own = "import * as Sentry from '@sentry/nextjs'\nSentry.init({ dsn: 'https://k@o1.ingest.sentry.io/1' })\n"
    const { changes, steps } = planned(
      nextApp('10', { 'app/page.js': '', 'sentry.client.config.ts': own, 'instrumentation.ts': own }),
    )
    expect(Object.keys(changes)).toEqual([
      'waystation-tunnel.mjs',
      '.gitignore',
      'app/tunnel/route.js',
      'next.config.mjs',
    ])
    expect(steps.map(({ title }) => title.split(' ')[0])).toEqual(['sentry.client.config.ts', 'instrumentation.ts'])
  })

  it('a proxy has to leave out the tunnel', () => {
    expect(planned(nextApp(null, { 'app/page.js': '', 'middleware.ts': 'export const config = {}' })).steps).toEqual([
      {
        title: expect.stringMatching(/^middleware\.ts must not match \/tunnel/),
        paste: expect.stringContaining('(?!tunnel|'),
      },
    ])
    expect(planned(nextApp(null, { 'app/page.js': '', 'proxy.ts': "matcher: '/((?!tunnel).*)'" })).steps).toEqual([])
  })
})

it('.gitignore names the lifeboat once, and is new only in a repository', () => {
  for (const line of ['.lifeboat', '/.lifeboat/', '.lifeboat/'])
    expect(
      planned(nextApp(null, { 'app/page.js': '', '.gitignore': `a\n${line}\n` })).changes['.gitignore'],
    ).toBeUndefined()
  const manifest = nextApp(null)['package.json'] ?? ''
  expect(planned({ 'package.json': manifest }).changes['.gitignore']).toBeUndefined()
})
