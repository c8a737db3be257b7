import { stripVTControlCharacters } from 'node:util'

const COMPILE = 'better-sqlite3 has to be compiled on this machine and'
const COMPILER_PACKAGES = '(Debian: build-essential, macOS: xcode-select --install)'

/**
 * Causes of a failed step, by what its log says. The first that matches is told, so order matters: a full disk also
 * breaks the compiler, and a compiler that is missing also looks like a failed compilation.
 * @type {readonly { when: RegExp, say: (found: RegExpExecArray) => string }[]}
 */
const CAUSES = [
  { when: /\bENOSPC\b|No space left on device/i, say: () => 'the disk is full' },
  { when: /\bEDQUOT\b|Disk quota exceeded/i, say: () => 'the disk quota is used up' },
  { when: /\bEROFS\b|Read-only file system/i, say: () => 'the folder is read-only' },
  {
    when: /\b(?:EACCES|EPERM)\b(?:[^\n]*'([^'\n]+)'|[\s\S]*?\bnpm error path (.+))?/,
    say: (found) => `this user may not write ${found[1] ?? found[2] ?? 'there'}`,
  },
  { when: /Could not find any Python installation/i, say: () => `${COMPILE} there is no Python; install Python 3` },
  {
    when: /not found: make\b|make: (?:command )?not found/i,
    say: () => `${COMPILE} there is no make; install it and a C++ compiler ${COMPILER_PACKAGES}`,
  },
  {
    when: /\b(?:g\+\+|c\+\+|clang\+\+|clang|cc|gcc): (?:command not found|not found|No such file or directory)|No Xcode or CLT version detected|xcrun: error/i,
    say: () => `${COMPILE} there is no C++ compiler; install one ${COMPILER_PACKAGES}`,
  },
  {
    when: /gyp ERR![^\n]*(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|FetchError|getaddrinfo)/i,
    say: () => `${COMPILE} Node's headers cannot be downloaded; is there a network?`,
  },
  { when: /gyp ERR! (?:not ok|UNCAUGHT EXCEPTION)/i, say: () => `${COMPILE} that failed` },
  {
    when: /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|EHOSTUNREACH|ENETUNREACH)\b/,
    say: (found) => `the package registry cannot be reached (${found[1]}); is there a network, or a proxy to set?`,
  },
  {
    when: /\bcode E(401|403|407)\b/,
    say: (found) => `the package registry refuses us (${found[1]}); see the registry and its token in .npmrc`,
  },
  {
    when: /No matching version found for (\S+?)\.?\s|404 Not Found - GET (\S+)/,
    say: (found) => `the package registry does not have ${found[1] ?? found[2]}`,
  },
  { when: /\bEINTEGRITY\b/, say: () => 'a package is not the one that package-lock.json names (EINTEGRITY)' },
  {
    when: /can only install packages when your package\.json and package-lock\.json/,
    say: () => 'package.json and package-lock.json do not agree; run npm install once',
  },
  { when: /heap out of memory|\bENOMEM\b|Cannot allocate memory/i, say: () => 'there is not enough memory' },
  // What a compiler says of the sources comes last: any of the above breaks sources that are in order.
  { when: /^\s*✘ \[ERROR\] (.+)$/m, say: (found) => oneLine(found[1]) },
  { when: /^\.\/(\S+:\d+:\d+\n.+)$/m, say: (found) => oneLine(found[1]) },
  { when: /^\s*(?:⨯ )?(\w*Error: .+)$/m, say: (found) => oneLine(found[1]) },
]

/**
 * Why a step failed, as one sentence without its full stop.
 * @param {string} log what the step wrote
 * @returns {string}
 */
export const explainFailure = (log) => findCause(log) ?? 'the reason is in its log'

/**
 * Why the system refuses a file or folder, as the end of a sentence. Any other error is a bug, and thrown on.
 * @param {unknown} cause
 * @returns {string}
 */
export function explainSystemError(cause) {
  if (!(cause instanceof Error) || !('syscall' in cause)) throw cause
  const { code, syscall, path } = /** @type {NodeJS.ErrnoException} */ (cause)
  if (code === 'EISDIR' || code === 'ERR_FS_EISDIR') return 'it is a folder'
  // Only where there is one above it is a folder made: what has it takes none.
  if (code === 'ENOENT' && path) return syscall === 'mkdir' ? `no folder can be made at ${path}` : `there is no ${path}`
  return findCause(cause.message) ?? cause.message
}

/** @param {string} log */
function findCause(log) {
  const text = stripVTControlCharacters(log)
  for (const { when, say } of CAUSES) {
    const found = when.exec(text)
    if (found !== null) return say(found)
  }
  return null
}

/** @param {string | undefined} text */
const oneLine = (text) => (text ?? '').replace(/\s+/g, ' ').trim().replace(/\.$/, '')
