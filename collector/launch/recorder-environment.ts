import { STAND_IN } from '../../lib/config/environment'

/**
 * All settings except its address and, without --relay, the upstreams. The stand-in is part of the collector. It leaves
 * the default port of OpenTelemetry to a collector that runs already.
 */
export function collectorEnvironment(
  all: Readonly<Record<string, string | undefined>>,
  relay: boolean,
): Record<string, string | undefined> {
  const { WAYSTATION_COLLECTOR_URL, WAYSTATION_UPSTREAM, WAYSTATION_DSNS, WAYSTATION_RELAY, ...others } = all
  // A recording is a file, so its record is not a shared one.
  const { WAYSTATION_OTLP_UPSTREAM, WAYSTATION_RUN_FOLDER, ...unshared } = others
  const { WAYSTATION_STORE, WAYSTATION_LANES, WAYSTATION_ROLES, ...settings } = unshared
  const local = { ...settings, WAYSTATION_OTLP_PORT: 'off' }
  if (!relay) return WAYSTATION_UPSTREAM === STAND_IN ? { ...local, WAYSTATION_UPSTREAM } : local
  const rest = WAYSTATION_OTLP_UPSTREAM === undefined ? local : { ...local, WAYSTATION_OTLP_UPSTREAM }
  if (WAYSTATION_UPSTREAM || WAYSTATION_DSNS) return { ...rest, WAYSTATION_UPSTREAM, WAYSTATION_DSNS }
  // Without another upstream, --relay relays to SENTRY_DSN.
  return { ...rest, WAYSTATION_RELAY: 'on' }
}

/** Only who may look is configured as usual: a run needs no upstream, and its index has the default limits. */
export function shownEnvironment(folder: string, port: number): NodeJS.ProcessEnv {
  const ours = collectorEnvironment(process.env, false)
  const { WAYSTATION_UPSTREAM: _, SENTRY_DSN: __, WAYSTATION_LIMITS: ___, ...env } = ours
  return {
    ...env,
    NODE_ENV: 'production',
    WAYSTATION_DATA: folder,
    WAYSTATION_PORT: String(port),
    WAYSTATION_APP_URL: 'off',
  }
}
