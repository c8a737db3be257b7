import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { explainFailure, explainSystemError } from '../../../collector/launch/explain-failure.js'

/** Excerpts of real logs of npm, node-gyp, esbuild and Next. */
const LOGS: readonly (readonly [name: string, log: string, sentence: RegExp])[] = [
  [
    'a disk that ran full while npm unpacked',
    'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write\n\nadded 163 packages in 40s',
    /^the disk is full$/,
  ],
  [
    'a full disk that broke the compiler',
    'gcc: fatal error: error writing to /tmp/ccX.s: No space left on device\ngyp ERR! not ok',
    /^the disk is full$/,
  ],
  [
    'a read-only folder',
    "npm error code EROFS\nnpm error syscall rmdir\nnpm error rofs EROFS: read-only file system, rmdir '/x/node_modules'",
    /^the folder is read-only$/,
  ],
  [
    'a folder of another user',
    'npm error code EACCES\nnpm error syscall mkdir\nnpm error path /srv/app/node_modules\nnpm error errno -13',
    /^this user may not write \/srv\/app\/node_modules$/,
  ],
  [
    'no Python',
    'npm error gyp ERR! find Python You need to install the latest version of Python.\nnpm error gyp ERR! stack Error: Could not find any Python installation to use\nnpm error gyp ERR! not ok',
    /there is no Python; install Python 3$/,
  ],
  [
    'no make',
    'npm error gyp info find Python using Python version 3.11.2 found at "/usr/bin/python3"\nnpm error gyp ERR! build error\nnpm error gyp ERR! stack Error: not found: make\nnpm error gyp ERR! not ok',
    /make or a C\+\+ compiler is missing; install them \(Debian: build-essential/,
  ],
  [
    'no compiler',
    'npm error make: cc: No such file or directory\nnpm error make: *** [deps/sqlite3.target.mk:200: sqlite3.o] Error 127\nnpm error gyp ERR! stack Error: `make` failed with exit code: 2\nnpm error gyp ERR! not ok',
    /make or a C\+\+ compiler is missing; install them/,
  ],
  [
    'a compilation that failed for another reason',
    'npm error ../src/x.cpp:1:10: error: something\nnpm error gyp ERR! not ok',
    /^better-sqlite3 has to be compiled on this machine, but that failed$/,
  ],
  [
    'a compilation that broke off, after a prebuilt file could not be fetched',
    'npm error prebuild-install warn getaddrinfo ENOTFOUND github.com\nnpm error make: *** [sqlite3.o] Error 1\nnpm error gyp ERR! UNCAUGHT EXCEPTION',
    /^better-sqlite3 has to be compiled on this machine, but that failed$/,
  ],
  [
    'an unknown registry',
    'npm error code ENOTFOUND\nnpm error network request to http://doesnotexist.invalid/zod failed, reason: getaddrinfo ENOTFOUND doesnotexist.invalid',
    /^the package registry cannot be reached \(ENOTFOUND\)/,
  ],
  [
    'a registry that is down',
    "npm error   code: 'ECONNREFUSED',\nnpm error   address: '127.0.0.1',",
    /^the package registry cannot be reached \(ECONNREFUSED\)/,
  ],
  [
    'a registry that requires a token',
    'npm error code E401\nnpm error Unable to authenticate',
    /answered 401; check the registry and its token/,
  ],
  [
    'a registry without a version',
    'npm error code ETARGET\nnpm error notarget No matching version found for @sentry/cloudflare@11.8.0.\nnpm error notarget In most cases',
    /does not have @sentry\/cloudflare@11\.8\.0$/,
  ],
  [
    'a lock file that lags behind',
    'npm error code EUSAGE\nnpm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync.',
    /^package\.json and package-lock\.json differ; run npm install once$/,
  ],
  [
    'sources that Next cannot compile',
    "Error: Turbopack build failed with 1 errors:\n./app/lab/page.tsx:6:1\nError: Module not found: Can't resolve './lab.module.css'\n",
    /^app\/lab\/page\.tsx:6:1 Error: Module not found: Can't resolve '\.\/lab\.module\.css'$/,
  ],
  [
    'sources that esbuild cannot compile, in colour',
    '\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m \u001b[1mExpected ";" but found "x"\u001b[0m\n\n    collector/main.ts:3:4:',
    /^Expected ";" but found "x"$/,
  ],
  ['nothing known', 'an unknown error', /^see its log for the reason$/],
]

describe('a failed step', () => {
  test.each(LOGS)('is explained by %s', (_, log, sentence) => {
    expect(explainFailure(log)).toMatch(sentence)
  })

  test('explains a refusal of the system', () => {
    const refused = Object.assign(new Error("EACCES: permission denied, mkdir '/root/x'"), { syscall: 'mkdir' })
    expect(explainSystemError(refused)).toBe('this user may not write /root/x')
  })

  test('explains a missing path and a folder in place of a file', () => {
    const read = (path: string) => () => readFileSync(path)
    const explained = (act: () => unknown): string => {
      try {
        return String(act())
      } catch (cause) {
        return explainSystemError(cause)
      }
    }
    expect([
      explained(read('/nowhere/x')),
      explained(read('/')),
      explained(() => rmSync(tmpdir())),
      explained(() => mkdirSync('/nowhere/x')),
    ]).toEqual(['there is no /nowhere/x', 'it is a folder', 'it is a folder', 'no folder can be made at /nowhere/x'])
  })

  test('throws errors that are not system errors', () => {
    expect(() => explainSystemError(new TypeError('x is undefined'))).toThrow('x is undefined')
  })
})
