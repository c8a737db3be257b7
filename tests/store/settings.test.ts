import { expect, it } from 'vitest'
import { readMarks, readSetting } from '../../collector/spool/read/read-settings'
import { markSetting } from '../../collector/spool/spool'
import { submission } from '../unit/spool/in-process-spool'
import { describeStores } from './engines'

describeStores('a setting', (open) => {
  it('is saved, overwritten and deleted', async () => {
    const store = await open()
    expect(await store.setting('relay')).toBeNull()
    await store.saveSetting('relay', 'off')
    await store.saveSetting('other', '')
    expect([await store.setting('relay'), await store.setting('other')]).toEqual(['off', ''])
    await store.saveSetting('relay', '{"on":"ü \\u0000 \'"}')
    expect(await store.setting('relay')).toBe('{"on":"ü \\u0000 \'"}')
    expect(readSetting(await store.readSide(), 'relay')).toBe('{"on":"ü \\u0000 \'"}')
    await store.saveSetting('relay', null)
    await store.saveSetting('relay', null)
    expect(await store.setting('relay')).toBeNull()
    expect(readSetting(await store.readSide(), 'relay')).toBeNull()
    expect(readSetting(await store.readSide(), 'other')).toBe('')
  })

  it('has its last value when it is saved several times at once', async () => {
    const store = await open()
    const values = ['1', null, '2', null, '3']
    await Promise.all(values.map((value) => store.saveSetting('relay', value)))
    expect(await store.setting('relay')).toBe('3')
    expect(readSetting(await store.readSide(), 'relay')).toBe('3')
  })

  it('is listed by the beginning of its name', async () => {
    const store = await open()
    for (const name of ['session/b', 'session/a', 'sessions', 'other', 'session%']) await store.saveSetting(name, name)
    expect(await store.settings('session/')).toEqual([
      { name: 'a', value: 'session/a' },
      { name: 'b', value: 'session/b' },
    ])
    expect(await store.settings('none/')).toEqual([])
  })

  it('may be the mark of a group of errors, which pages read', async () => {
    const store = await open()
    await store.append(submission())
    const mark = { muted: true, note: 'known' }
    await store.saveSetting(markSetting('abc'), JSON.stringify(mark))
    expect(readMarks(await store.readSide())).toEqual(new Map([['abc', mark]]))
  })
})
