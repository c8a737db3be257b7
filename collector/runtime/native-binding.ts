import { arch, env, platform, version } from 'node:process'

/** How to approve the install script of a package, and to run it afterwards. */
const APPROVALS = {
  npm: '`npm rebuild better-sqlite3 --ignore-scripts=false`, after `npm install-scripts approve better-sqlite3` where npm blocks scripts',
  pnpm: '`pnpm approve-builds` (choose better-sqlite3)',
  yarn: '`"dependenciesMeta": { "better-sqlite3": { "built": true } }` in package.json, then `yarn rebuild better-sqlite3`',
  bun: '`bun pm trust better-sqlite3`',
} as const

/** npx installs into a cache of its own, which it does not install again. */
const NPX = 'npx: `npm cache npx rm --force`, then `npx --ignore-scripts=false --allow-scripts=better-sqlite3 PACKAGE`'
const NEEDS =
  'it downloads a prebuilt binary, or else compiles with Python 3, make and a C++ compiler (Debian: python3 and build-essential; macOS: xcode-select --install)'

type PackageManager = keyof typeof APPROVALS

const isPackageManager = (name: string): name is PackageManager => Object.hasOwn(APPROVALS, name)

/**
 * Did better-sqlite3 find no native binding, or one for another version of Node or another system? The error of the first
 * case has no code; that of the second names the file.
 */
export const isMissingBinding = ({ message }: Error): boolean =>
  message.startsWith('Could not locate the bindings file') || message.includes('better_sqlite3.node')

/**
 * One sentence without its full stop: how to get the native binding, for the package manager in use first.
 * @param userAgent `npm_config_user_agent`, such as `pnpm/10.4.1 npm/? node/v22.14.0 linux x64`
 */
export function explainMissingBinding(userAgent = env.npm_config_user_agent ?? ''): string {
  const [used = ''] = userAgent.split('/')
  const names = Object.keys(APPROVALS).filter(isPackageManager)
  const [first = 'npm', ...others] = isPackageManager(used) ? [used, ...names.filter((name) => name !== used)] : names
  const rest = others.map((name) => `${name}: ${APPROVALS[name]}`).join('; ')
  const system = `Node ${version} on ${platform}-${arch}`
  return `better-sqlite3 has no native binding for ${system}, because its install script was blocked or failed; run it with ${APPROVALS[first]} (${rest}; ${NPX}); ${NEEDS}`
}
