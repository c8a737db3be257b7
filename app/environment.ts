import { type Environment, explainProblem, ownLocalDsn, readEnvironment } from '../lib/config/environment'
import type { TelemetrySettings } from '../lib/sdk/settings'
import { version } from '../package.json'

let read: Environment | null = null

/**
 * The environment of this process, parsed once, when the first asks.
 * @throws when a variable cannot be used: an app that guesses is worse than one that stops.
 */
export function environment(): Environment {
  if (read !== null) return read
  const parsed = readEnvironment(process.env)
  if (!parsed.ok) throw new Error(parsed.error.map(explainProblem).join(' '))
  read = parsed.value
  return read
}

/** What the SDKs of this app are told, in server and browser alike. */
export function telemetrySettings(): TelemetrySettings {
  const settings = environment()
  return {
    dsn: ownLocalDsn(settings),
    lifecycle: settings.lifecycle,
    environment: settings.environment,
    // A session belongs to a release; without one the SDK sends none.
    release: settings.release ?? `waystation@${version}`,
  }
}
