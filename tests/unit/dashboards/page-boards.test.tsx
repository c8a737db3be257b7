import { join } from 'node:path'
import { isValidElement } from 'react'
import { expect, it } from 'vitest'
import { PAGE_BOARDS } from '../../../dashboards/site/page-boards'
import { BOARD_MODULES } from '../../../lib/wire/board-modules'
import { BOARD_PAGES } from '../../../lib/wire/pages'

const DASHBOARDS = join(import.meta.dirname, '../../../dashboards')

// The first import of a board compiles all it needs.
const TIMEOUT_MS = 60_000

it.each(BOARD_PAGES.map(({ path }) => path))(
  'the collector preloads the module of the board at %s',
  async (path) => {
    const board = (await PAGE_BOARDS[path]())('7')
    const file = join(DASHBOARDS, `${BOARD_MODULES[path]}.tsx`)
    const module: object = await import(file)
    expect(Object.values(module)).toContain(isValidElement(board) ? board.type : null)
  },
  TIMEOUT_MS,
)
