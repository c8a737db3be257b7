import { withSentryConfig } from '@sentry/nextjs/config'

/** @type {import('next').NextConfig} */
const config = {
  // Each build has its own folder, so that a new build does not change a running app.
  distDir: process.env.WAYSTATION_DIST || '.build/dev',
  typescript: {
    // `npm test` checks types. A build would check them again and write into tsconfig.json.
    ignoreBuildErrors: true,
    ...(process.env.WAYSTATION_TSCONFIG && { tsconfigPath: process.env.WAYSTATION_TSCONFIG }),
  },
  // Nothing uses the image optimiser, which would log every address that any page requests from it.
  images: { unoptimized: true },
  // Error pages name files and lines of this app. It publishes the maps, as the source code is public.
  productionBrowserSourceMaps: true,
  poweredByHeader: false,
  // Without the messages of the SDK for its own debugging, which every visitor would download.
  compiler: { define: { __SENTRY_DEBUG__: false } },
  devIndicators: false,
  // `next dev` would write a file of rules into the tree and query the registry for updates.
  agentRules: false,
  experimental: {
    agentUpgrade: false,
    staleTimes: { dynamic: 30, static: 300 },
    // Next buffers this much of any body before proxy.ts runs. No route behind proxy.ts reads a body.
    proxyClientMaxBodySize: 4096,
  },
}

export default withSentryConfig(config, {
  telemetry: false,
  silent: true,
  sourcemaps: { disable: true },
  // The contract requires the path as transaction name, not the route.
  routeManifestInjection: false,
  // The release is set at run time: SENTRY_RELEASE, or the version of this package.
  release: { create: false },
})
