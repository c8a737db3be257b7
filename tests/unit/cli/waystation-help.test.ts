import { describe, expect, it } from 'vitest'
import { CHECK_FLAGS } from '../../../collector/cli/check-words'
import { DOCTOR_FLAGS } from '../../../collector/cli/doctor'
import { RUN_FLAGS } from '../../../collector/cli/run-words'
import { TAIL_FLAGS } from '../../../collector/cli/tail'
import { WAIT_FLAGS } from '../../../collector/cli/wait-words'
import { HELP, WAYSTATION_HELP } from '../../../collector/cli/waystation-help.js'
import { JUDGED_IDS } from '../../../lib/verdict/expectations/check-plan'

const FLAGS: Readonly<Record<keyof typeof HELP, object>> = {
  run: RUN_FLAGS,
  check: CHECK_FLAGS,
  wait: WAIT_FLAGS,
  tail: TAIL_FLAGS,
  doctor: DOCTOR_FLAGS,
}

describe('help', () => {
  it.each(Object.entries(HELP))(
    'of %s names each flag that it takes and no other, and its exit codes',
    (name, help) => {
      const named = new Set(help.match(/(?<![\w-])--[a-z][a-z-]*/g))
      const taken = Object.entries(FLAGS).find(([command]) => command === name)?.[1] ?? {}
      expect([...named].sort()).toEqual(Object.keys(taken).sort())
      expect(help.startsWith(`waystation ${name} `)).toBe(true)
      expect(help).toContain('\n\nExit code: ')
      expect(WAYSTATION_HELP).toContain(`\n  ${name} `)
    },
  )

  it('of check names each rule that can be judged, in their order, and no other', () => {
    const named = /\nRules: ([^.]+)\.\n/.exec(HELP.check)?.[1]?.split(/,\s+/)
    expect(named).toEqual(JUDGED_IDS)
  })
})
