import { afterAll, describe, expect, it } from 'vitest'
import { readSignals } from '../../../collector/index/lists/read-signals'
import { MAX_TERMS } from '../../../collector/index/rows/terms-records'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { NEWEST } from '../../../lib/wire/list-paging'
import { removeFolders } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

afterAll(removeFolders)

const WORDS_OF_EACH = 100
const header = JSON.stringify({ type: 'log', content_type: 'application/vnd.sentry.items.log+json' })
const log = (level: string, body: string) => ({ timestamp: 1_795_000_000, trace_id: '9'.repeat(32), level, body })

describe('a record with more tokens than terms', () => {
  const folder = new RecordedFolder()
  const many = Array.from({ length: MAX_TERMS / WORDS_OF_EACH + 1 }, (_, one) =>
    log('info', Array.from({ length: WORDS_OF_EACH }, (__, word) => `u${one}x${word}`).join(' ')),
  )
  const items = [...many, log('fatal', 'a needle')]
  folder.receive(['{}', header, JSON.stringify({ items: [log('info', 'hay')] })].join('\n'), { stamp: 'ci' })
  folder.receive(['{}', header, JSON.stringify({ items })].join('\n'))
  folder.digest()
  afterAll(() => folder.close())

  const names = (filter: ListFilter): readonly string[] =>
    readSignals(folder.db, 'log', filter, NEWEST, { limit: 2 }).signals.map(({ name }) => name)

  it.each<[string, ListFilter, readonly string[]]>([
    ['a level', { level: 'fatal' }, ['a needle']],
    ['a word', { text: ['needl'] }, ['a needle']],
    ['a name', { name: 'a needle' }, ['a needle']],
    ['another’s word', { text: ['hay'] }, ['hay']],
    ['another’s stamp', { stamp: 'ci', level: 'info' }, ['hay']],
    ['a value that nothing has', { environment: 'none' }, []],
  ])('is found by all its entries: %s', (_what, filter, found) => {
    expect(names(filter)).toEqual(found)
  })

  it('has the maximum of terms, one overflow term and those of its sender', () => {
    folder.db.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, record_terms, 'instance')")
    const terms = folder.db.prepare('SELECT count(*) FROM temp.vocabulary WHERE doc = 2').pluck().get()
    expect(terms).toBe(MAX_TERMS + 1 + ['project', 'own'].length)
  })
})
