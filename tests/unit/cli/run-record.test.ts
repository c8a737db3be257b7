import { describe, expect, it } from 'vitest'
import { commandToShow } from '../../../collector/cli/run/run-record'

describe('the command that opens a run', () => {
  const run = { root: '/app', recording: { folder: '/app/.waystation/runs/one' }, given: { save: null } }

  it.each([
    [
      'an installed package',
      true,
      '/app/node_modules/waystation/dist/collector',
      'npx waystation show /app/.waystation/runs/one',
    ],
    [
      'npx of a tarball, which installs nothing',
      true,
      '/root/.npm/_npx/1a/node_modules/waystation/dist/collector',
      'node /root/.npm/_npx/1a/node_modules/waystation/collector/cli/waystation.js show /app/.waystation/runs/one',
    ],
  ])('of %s', (_name, packaged, bundles, command) => {
    expect(commandToShow({ ...run, packaged, bundles })).toBe(command)
  })

  it('names the saved file, quoted where a shell requires it', () => {
    const given = { save: "/tmp/a run's file.waystation" }
    expect(commandToShow({ ...run, given, packaged: true, bundles: '/app/dist' })).toBe(
      "npx waystation show '/tmp/a run'\\''s file.waystation'",
    )
  })
})
