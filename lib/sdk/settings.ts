/** What an SDK is told at run time; nothing of it is known when the app is built. */
export interface TelemetrySettings {
  readonly dsn: string
  readonly lifecycle: 'static' | 'stream'
  readonly environment: string
  readonly release: string | null
}

/** Attribute of `<html>` that carries the settings to the browser, as JSON. */
export const SETTINGS_ATTRIBUTE = 'data-waystation'
/** Where a document without the attribute fetches them. */
export const SETTINGS_PATH = '/settings'

/** Reads settings that crossed a wire; `null` when they are not whole. */
export function parseSettings(text: string | null): TelemetrySettings | null {
  if (text === null || text === '') return null
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) return null
  const { dsn, lifecycle, environment, release } = Object.assign({ release: null }, value) as Record<string, unknown>
  if (typeof dsn !== 'string' || typeof environment !== 'string') return null
  if (lifecycle !== 'static' && lifecycle !== 'stream') return null
  return { dsn, lifecycle, environment, release: typeof release === 'string' ? release : null }
}
