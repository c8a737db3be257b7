import { describe, expect, it } from 'vitest'
import { ITEM_PARSERS, isParsedType } from '../../../lib/items/registry'

describe('an item type', () => {
  it.each(Object.keys(ITEM_PARSERS))('%s is read', (type) => {
    expect(isParsedType(type)).toBe(true)
  })

  it.each(['session', 'of_tomorrow', 'constructor', '__proto__', ''])('%j is kept and not read', (type) => {
    expect(isParsedType(type)).toBe(false)
  })
})
