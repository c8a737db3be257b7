import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { freshClone } from './fresh-clone'
import { endStarted, familyOf, killEach, nothingLeft, oneOf, type Started } from './npm-start'

afterEach(endStarted)

/** Waits until the fake program runs its compiler. Returns the pids of start.js, the program and the compiler. */
async function hanging(started: Started, done: () => readonly string[]): Promise<readonly number[]> {
  await expect.poll(done).toContain('hang')
  await expect.poll(() => familyOf(started.pid).length).toBeGreaterThanOrEqual(3)
  return familyOf(started.pid)
}

describe('the set-up', () => {
  test('installs, builds and starts the supervisor, and prints each step', async () => {
    const clone = freshClone()
    const first = clone.start()
    expect(await first.exited, first.output()).toEqual({ code: 0, signal: null })
    expect(clone.done()).toEqual(['install', 'build'])
    expect(first.output()).toMatch(
      /^Installing packages.* …\nPackages are installed \(\d+ s\)\nBuilding …\nBuilt \(\d+ s\)\nstarted\n$/,
    )
  })

  test('neither installs nor builds when nothing has changed', async () => {
    const clone = freshClone()
    await clone.start().exited
    const second = clone.start()
    expect((await second.exited).code).toBe(0)
    expect(clone.done()).toEqual(['install', 'build'])
    expect(second.output()).toBe('started\n')
  })

  test('builds changed sources into another folder', async () => {
    const clone = freshClone()
    await clone.start().exited
    const [first] = clone.builds()
    clone.write('app/page.tsx', '2')
    await clone.start().exited
    expect(clone.done()).toEqual(['install', 'build', 'build'])
    expect(clone.builds()).toHaveLength(2)
    expect(clone.builds()).toContain(first)
  })

  test('installs when the lock file has changed', async () => {
    const clone = freshClone()
    await clone.start().exited
    clone.write('package-lock.json', '{ "packages": { "node_modules/zod": { "version": "2.0.0" } } }')
    await clone.start().exited
    expect(clone.done()).toEqual(['install', 'build', 'install', 'build'])
  })

  test('runs once when two start together; the other one prints the process that it waits for', async () => {
    const clone = freshClone()
    const both = [clone.start({ npm: 'wait' }), clone.start({ npm: 'wait' })]
    const output = () => both.map((one) => one.output()).join('')
    await expect.poll(output).toMatch(/Process \d+ is installing or building here; waiting/)
    clone.letGo()
    const ends = await Promise.all(both.map(({ exited }) => exited))
    expect(ends.map(({ code }) => code)).toEqual([0, 0])
    expect(clone.done()).toEqual(['install', 'build'])
  })

  test('builds again after a build that was killed', async () => {
    const clone = freshClone()
    const first = clone.start({ next: 'hang' })
    const family = await hanging(first, clone.done)
    killEach([...family, first.pid])
    await nothingLeft(family, [])
    const second = clone.start()
    expect((await second.exited).code).toBe(0)
    expect(clone.done()).toEqual(['install', 'hang', 'build'])
  })
})

describe.each(['npm', 'next'] as const)('nothing is left of a set-up while %s is at work', (program) => {
  test('after SIGKILL to npm', async () => {
    const clone = freshClone()
    const started = clone.start({ [program]: 'hang' })
    const family = await hanging(started, clone.done)
    process.kill(started.pid, 'SIGKILL')
    await nothingLeft(family, [])
  })

  test('after SIGKILL to the supervisor', async () => {
    const clone = freshClone()
    const started = clone.start({ [program]: 'hang' })
    const family = await hanging(started, clone.done)
    process.kill(oneOf(family), 'SIGKILL')
    await nothingLeft(family, [])
  })

  test('after Ctrl-C, and the next start succeeds', async () => {
    const clone = freshClone()
    const started = clone.start({ [program]: 'hang' })
    const family = await hanging(started, clone.done)
    started.pressCtrlC()
    await started.exited
    await nothingLeft(family, [])
    expect(existsSync(join(clone.root, '.build/lock'))).toBe(false)
    expect((await clone.start().exited).code).toBe(0)
  })
})

describe('a set-up that fails', () => {
  test('prints the reason in one sentence, and the path of the log', async () => {
    const clone = freshClone()
    const started = clone.start({ npm: 'gyp ERR! stack Error: not found: make' })
    expect((await started.exited).code).toBe(1)
    const log = join(clone.root, '.build/install.log')
    expect(started.output()).toMatch(
      /Waystation cannot start: better-sqlite3 has to be compiled on this machine, but make or a C\+\+ compiler is missing; .*\. The whole log is /,
    )
    expect(started.output().trimEnd()).toMatch(new RegExp(`${log}\\.$`))
    expect(readFileSync(log, 'utf8')).toContain('not found: make')
  })

  test('when the sources do not compile: prints file and line, and removes the unfinished build', async () => {
    const clone = freshClone()
    const started = clone.start({ next: "./app/page.tsx:6:1\nModule not found: Can't resolve './x.css'" })
    expect((await started.exited).code).toBe(1)
    expect(started.output()).toContain("cannot start: app/page.tsx:6:1 Module not found: Can't resolve './x.css'. The")
    expect(clone.builds()).toEqual([])
  })

  test('when a folder cannot be written: prints the folder', async () => {
    const clone = freshClone()
    clone.write('.build', 'a file where the folder should be')
    const started = clone.start()
    expect((await started.exited).code).toBe(1)
    expect(started.output()).toMatch(/^Waystation cannot start: EEXIST: .*; packages and builds are kept in .*\.\n$/)
  })

  test('installs no packages while a running Waystation uses them', async () => {
    const clone = freshClone()
    clone.write(
      'collector/launch/run-build.ts',
      "export const supervise = () => (console.log('runs'), new Promise(() => setInterval(() => {}, 1000)))",
    )
    const running = clone.start()
    await expect.poll(running.output).toContain('runs\n')
    clone.write('package-lock.json', '{ "packages": { "node_modules/zod": { "version": "2.0.0" } } }')
    const started = clone.start()
    expect((await started.exited).code).toBe(1)
    expect(started.output()).toMatch(
      /packages have to be installed \(package-lock\.json or Node has changed .*\), but process \d+ uses the installed ones; stop it first/,
    )
    expect(clone.done()).toEqual(['install', 'build'])
  })
})
