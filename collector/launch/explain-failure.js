import { stripVTControlCharacters } from 'node:util'

const COMPILE = 'better-sqlite3 has to be compiled on this machine, but'

/**
 * Frequent causes of a failed step, by a pattern in its log; `$1` is what the pattern captured. The first match counts:
 * a full disk also breaks the compiler.
 * @type {readonly (readonly [pattern: RegExp, why: string])[]}
 */
const CAUSES = [
  [/\bENOSPC\b|No space left on device|\bEDQUOT\b|quota exceeded/i, 'the disk is full'],
  [/\bEROFS\b|Read-only file system/i, 'the folder is read-only'],
  [/\b(?:EACCES|EPERM)\b(?:[^\n]*'([^'\n]+)'|[\s\S]*?\bnpm error path (.+))/, 'this user may not write $1'],
  [/Could not find any Python installation/i, `${COMPILE} there is no Python; install Python 3`],
  [
    /not found: make\b|make: (?:command )?not found|\b(?:g\+\+|c\+\+|clang|cc|gcc): (?:command not found|not found|No such file or directory)|No Xcode or CLT version detected|xcrun: error/i,
    `${COMPILE} make or a C++ compiler is missing; install them (Debian: build-essential, macOS: xcode-select --install)`,
  ],
  [/gyp ERR! (?:not ok|UNCAUGHT EXCEPTION)/i, `${COMPILE} that failed`],
  [
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EHOSTUNREACH|ENETUNREACH)\b/,
    'the package registry cannot be reached ($1); check the network and the proxy settings',
  ],
  [/\bcode E(401|403|407)\b/, 'the package registry answered $1; check the registry and its token in .npmrc'],
  [/No matching version found for (\S+?)\.?\s|404 Not Found - GET (\S+)/, 'the package registry does not have $1'],
  [/\bEINTEGRITY\b/, 'a package differs from the one in package-lock.json (EINTEGRITY)'],
  [
    /can only install packages when your package\.json/,
    'package.json and package-lock.json differ; run npm install once',
  ],
  [/heap out of memory|\bENOMEM\b|Cannot allocate memory/i, 'there is not enough memory'],
  // The messages of compilers come last: all of the above also breaks correct sources.
  [/^\s*✘ \[ERROR\] (.+)$/m, '$1'],
  [/^\.\/(\S+:\d+:\d+\n.+)$/m, '$1'],
  [/^\s*(?:⨯ )?(\w*Error: .+)$/m, '$1'],
]

/**
 * Explains why a step failed: a sentence without its full stop.
 * @param {string} log output of the step
 * @returns {string}
 */
export const explainFailure = (log) => findCause(log) ?? 'see its log for the reason'

/**
 * Explains why the system refused a file or folder, as the end of a sentence. Throws every other error again.
 * @param {unknown} cause
 * @returns {string}
 */
export function explainSystemError(cause) {
  if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
  const { code, syscall, path } = /** @type {NodeJS.ErrnoException} */ (cause)
  if (code === 'EISDIR' || code === 'ERR_FS_EISDIR') return 'it is a folder'
  // mkdir answers ENOENT where the file system accepts no folders, such as /proc.
  if (code === 'ENOENT' && path) return syscall === 'mkdir' ? `no folder can be made at ${path}` : `there is no ${path}`
  return findCause(cause.message) ?? cause.message
}

/** @param {string} log */
function findCause(log) {
  const text = stripVTControlCharacters(log)
  for (const [pattern, why] of CAUSES) {
    const found = pattern.exec(text)
    if (found === null) continue
    const [, ...captured] = found
    const what = captured.find((part) => part !== undefined) ?? ''
    return why.replace('$1', () => what.replace(/\s+/g, ' ').trim().replace(/\.$/, ''))
  }
  return null
}
