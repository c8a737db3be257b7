import { createRequire } from 'node:module'

/** Loads the `.env` files, once, for app and collector alike: what they inherit is marked as loaded. */
export function loadEnvironmentFiles(root: string, isDev: boolean): void {
  // A CommonJS package whose names Node cannot see from an ES module.
  const { loadEnvConfig }: typeof import('@next/env') = createRequire(import.meta.url)('@next/env')
  loadEnvConfig(root, isDev, { info: () => undefined, error: console.error })
}
