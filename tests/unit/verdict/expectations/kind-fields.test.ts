import { expect, it } from 'vitest'
import { checkCriteriaFor } from '../../../../lib/verdict/expectations/kinds'

it('takes a part of an item by the names that its kind has, and any names in what is free', () => {
  checkCriteriaFor('span', { op: 'db', attributes: { whatever: { deep: 1 } } })
  checkCriteriaFor('error', { title: /declined/, tags: { shop: 'north' }, payload: { extra: { a: 1 } } })
  checkCriteriaFor('log', { level: 'warn', fields: { body: 'x' } })
  checkCriteriaFor('item', () => true)
})

it.each([
  ['span', { attribute: {} }, 'criteria: unknown field attribute of span; did you mean attributes?'],
  ['transaction', { nmae: '/' }, 'criteria: unknown field nmae of transaction; did you mean name?'],
  ['breadcrumb', { mesage: 'x' }, 'criteria: unknown field mesage of breadcrumb; did you mean message?'],
] as const)('says of a %s with a name that it never has which is meant', (kind, criteria, words) => {
  expect(() => checkCriteriaFor(kind, criteria)).toThrow(new TypeError(words))
})
