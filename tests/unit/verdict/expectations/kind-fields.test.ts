import { expect, it } from 'vitest'
import { checkCriteriaOf } from '../../../../lib/verdict/expectations/kinds'

it('takes a part of an item by the names that its kind has, and any names in what is free', () => {
  checkCriteriaOf('span', { op: 'db', attributes: { whatever: { deep: 1 } } })
  checkCriteriaOf('error', { title: /declined/, tags: { shop: 'north' }, payload: { extra: { a: 1 } } })
  checkCriteriaOf('log', { level: 'warn', fields: { body: 'x' } })
  checkCriteriaOf('item', () => true)
})

it.each([
  ['span', { attribute: {} }, 'criteria name attribute, which no span has: did you mean attributes?'],
  ['transaction', { nmae: '/' }, 'criteria name nmae, which no transaction has: did you mean name?'],
  ['breadcrumb', { mesage: 'x' }, 'criteria name mesage, which no breadcrumb has: did you mean message?'],
] as const)('says of a %s with a name that it never has which is meant', (kind, criteria, words) => {
  expect(() => checkCriteriaOf(kind, criteria)).toThrow(new TypeError(words))
})
