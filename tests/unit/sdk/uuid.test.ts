import { expect, it } from 'vitest'
import { newUuid } from '../../../lib/sdk/uuid'

it('makes random UUIDs of version 4', () => {
  const made = Array.from({ length: 100 }, newUuid)
  expect(new Set(made).size).toBe(100)
  for (const uuid of made) expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
