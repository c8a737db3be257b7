import { describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../collector/spool-postgres/schema'
import { openPostgresStore } from '../../collector/spool-postgres/store'
import { submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, NOW, openKeptStore, server } from './housekeeping-store'

const KNOWN = MIGRATIONS.length

describe.skipIf('why' in server)('a schema that a newer Waystation has migrated', () => {
  closeKeptStores()

  it('is refused with both versions when this one is too old for it', async () => {
    const store = await openKeptStore()
    await store.column(`INSERT INTO waystation.versions (version, works_from) VALUES (${KNOWN + 1}, ${KNOWN + 1})`)
    const started = openPostgresStore({ url: store.url, name: 'older', now: () => NOW, log: () => undefined })
    await expect(started).rejects.toThrow(
      `has version ${KNOWN + 1}, which works with collectors of version ${KNOWN + 1} and newer, but this one has version ${KNOWN}: use a newer Waystation`,
    )
    expect(await store.column('SELECT count(*) FROM waystation.collectors')).toEqual([1])
  })

  it('is shared by collectors of the version before it, which run and which start', async () => {
    const store = await openKeptStore()
    await store.append(submission())
    await store.column('ALTER TABLE waystation.records ADD COLUMN newer text')
    await store.column(`INSERT INTO waystation.versions (version, works_from) VALUES (${KNOWN + 1}, ${KNOWN})`)
    const other = await store.openOther('older')
    expect(await other.append(submission())).toMatchObject({ seq: 2 })
    expect(await store.append(submission())).toMatchObject({ seq: 3 })
    expect(await store.column('SELECT max(version) FROM waystation.versions')).toEqual([KNOWN + 1])
  })

  it('names for each version the oldest collector that works with it: the version before, if nothing breaks', async () => {
    const store = await openKeptStore()
    const found = await store.column(
      `SELECT works_from BETWEEN greatest(1, version - 1) AND version FROM waystation.versions ORDER BY version`,
    )
    expect(found).toEqual(MIGRATIONS.map(() => true))
  })
})
