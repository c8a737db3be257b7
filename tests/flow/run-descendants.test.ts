import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { isRunning } from '../../collector/launch/processes.js'
import { endCollectors, temporaryFolder } from './collector-process'
import { node, run, TERMINAL } from './run-process'

afterAll(endCollectors)

const PYTHON = 'python3'
const hasPython = (() => {
  try {
    execFileSync(PYTHON, ['-c', 'import pty'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** A program that starts another one, waits until that has written its pid, and ends. */
function leaving(server: string, { file = '', options = '{}', lastsMs = 0 } = {}): string {
  const started = `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`
  return `
    const { spawn } = require('node:child_process')
    const { existsSync } = require('node:fs')
    spawn(process.execPath, ['-e', ${JSON.stringify(`${server}; ${started}`)}], { stdio: 'ignore', ...${options} }).unref()
    const began = Date.now()
    const waiting = setInterval(() => {
      if (existsSync(${JSON.stringify(file)}) && Date.now() - began >= ${lastsMs}) clearInterval(waiting)
    }, 20)`
}

const pidIn = (file: string): number => Number(readFileSync(file, 'utf8'))
const pidFile = (): string => join(temporaryFolder(), 'pid')

describe('processes that the program leaves running', () => {
  it('get SIGTERM, and send what they have until they end', async () => {
    const file = pidFile()
    const done = `${file}-done`
    const server = `process.on('SIGTERM', async () => {
      await fetch(process.env.WAYSTATION_COLLECTOR_URL + '/stream', { method: 'POST', body: '{}\\n{"type":"event"}\\n{}' })
      require('node:fs').writeFileSync(${JSON.stringify(done)}, '')
      process.exit(0)
    })`
    const { code, err } = await run(['--no-check', ...node(leaving(server, { file }))]).ended
    expect(isRunning(pidIn(file))).toBe(false)
    expect(existsSync(done)).toBe(true)
    expect(err).toContain('Ended 1 process that the program left running.\n')
    expect(err).toContain('Waystation recorded 1 envelope')
    expect(code).toBe(0)
  })

  it('are killed if they ignore SIGTERM', async () => {
    const file = pidFile()
    const ended = await run(['--no-check', ...node(leaving(`process.on('SIGTERM', () => {})`, { file }))]).ended
    expect(isRunning(pidIn(file))).toBe(false)
    expect(ended).toMatchObject({ code: 0, err: expect.stringContaining('Ended 1 process') })
  })

  it('are ended if they lead a group of their own', async () => {
    const file = pidFile()
    const program = leaving('', { file, options: '{ detached: true }', lastsMs: 2_500 })
    await run(['--no-check', ...node(program)]).ended
    expect(isRunning(pidIn(file))).toBe(false)
  })

  it('are ended when a signal ends the program', async () => {
    const file = pidFile()
    const program = `${leaving('', { file })}; setInterval(() => existsSync(${JSON.stringify(file)}) && console.log('up'), 20)`
    const running = run(['--no-check', ...node(program)])
    await running.printed('up')
    running.child.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 143 })
    expect(isRunning(pidIn(file))).toBe(false)
  })

  it.skipIf(!hasPython)('are ended in a terminal, too (skipped without Python)', async () => {
    const file = pidFile()
    const { child, ended } = run(['--no-check', '--', process.execPath, '--version'])
    await ended
    const [command = '', ...args] = child.spawnargs
    const program = [...args.slice(0, -1), '-e', leaving('', { file, lastsMs: 2_500 })]
    const env = { PATH: process.env.PATH, NODE_ENV: 'production' as const, WAYSTATION_DATA: temporaryFolder() }
    const { stdout } = await promisify(execFile)(PYTHON, ['-c', TERMINAL, command, ...program], { env })
    expect(stdout).toContain('Ended 1 process that the program left running.')
    expect(isRunning(pidIn(file))).toBe(false)
  })
})
