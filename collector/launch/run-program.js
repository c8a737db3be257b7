/*
 * Runs a program that is not Node's as one of our steps: `node run-program.js PROGRAM ARGUMENT…`. It stays in the
 * step's process group and ends with it.
 */
import { spawn } from 'node:child_process'

const [program = '', ...args] = process.argv.slice(2)
const child = spawn(program, args, { stdio: 'inherit' })
child.once('error', (cause) => {
  console.error(cause.message)
  process.exit(127)
})
child.once('exit', (code) => process.exit(code ?? 1))
