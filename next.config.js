import { withSentryConfig } from '@sentry/nextjs/config'

/** @type {import('next').NextConfig} */
const config = {
  // Each build has a folder of its own, so that a running app is never changed under its users.
  distDir: process.env.WAYSTATION_DIST || '.build/dev',
  typescript: {
    // `npm test` checks types; a build would check them a second time and write into tsconfig.json.
    ignoreBuildErrors: true,
    ...(process.env.WAYSTATION_TSCONFIG && { tsconfigPath: process.env.WAYSTATION_TSCONFIG }),
  },
  poweredByHeader: false,
  devIndicators: false,
  // `next dev` would write a file of rules into the tree, and ask the registry for newer ones.
  agentRules: false,
  experimental: { agentUpgrade: false, staleTimes: { dynamic: 30, static: 300 } },
}

export default withSentryConfig(config, {
  telemetry: false,
  silent: true,
  sourcemaps: { disable: true },
  // The contract names transactions by their path, not by their route.
  routeManifestInjection: false,
  // The release is said at run time: by SENTRY_RELEASE, or by this package's version.
  release: { create: false },
})
