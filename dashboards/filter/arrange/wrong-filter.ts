import type { FilterName } from '../../../lib/wire/filter'
import { type BoardList, isFilterName } from './filter-of-list'

export interface WrongFilter {
  readonly sentence: string
  /** The part that it speaks of, where it names one of the list's. */
  readonly name: FilterName | null
  /** What may have been meant by it. */
  readonly instead: string | null
}

/** What the collector says of a filter: `status=eror: meant is one of ok, error, unset; did you mean error?` */
export function readWrong(list: BoardList, sentence: string): WrongFilter {
  const [, name = ''] = /^([a-z_]+)=/.exec(sentence) ?? []
  const [, instead = null] = /did you mean (\S+)\?$/.exec(sentence) ?? []
  return isFilterName(list, name) ? { sentence, name, instead } : { sentence, name: null, instead: null }
}
