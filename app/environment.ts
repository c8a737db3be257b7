import { type Environment, explainProblem, ownLocalDsn, readEnvironment } from '../lib/config/environment'
import type { TelemetrySettings } from '../lib/sdk/settings'
import { version } from '../package.json'

let read: Environment | null = null

/** Returns the environment of this process, parsed at the first call. Throws when a variable is invalid. */
export function environment(): Environment {
  if (read !== null) return read
  const parsed = readEnvironment(process.env)
  if (!parsed.ok) throw new Error(parsed.error.map(explainProblem).join(' '))
  read = parsed.value
  return read
}

/** Returns the settings of this app's SDKs, for server and browser. */
export function telemetrySettings(): TelemetrySettings {
  const settings = environment()
  return {
    dsn: ownLocalDsn(settings),
    lifecycle: settings.lifecycle,
    environment: settings.environment,
    consent: settings.consent,
    tunnel: settings.tunnelPath,
    // Without a release the SDK sends no sessions.
    release: settings.release ?? `waystation@${version}`,
  }
}
