import { expect, it } from 'vitest'
import { checkCriteriaFor } from '../../../../lib/verdict/expectations/kinds'

it('checkCriteriaFor accepts the fields of a kind, and any names in free-form data', () => {
  checkCriteriaFor('span', { op: 'db', attributes: { whatever: { deep: 1 } } })
  checkCriteriaFor('error', { title: /declined/, tags: { shop: 'north' }, payload: { extra: { a: 1 } } })
  checkCriteriaFor('log', { level: 'warn', fields: { body: 'x' } })
  checkCriteriaFor('item', () => true)
})

it.each([
  ['span', { attribute: {} }, 'criteria: unknown field attribute of span; did you mean attributes?'],
  ['transaction', { nmae: '/' }, 'criteria: unknown field nmae of transaction; did you mean name?'],
  ['breadcrumb', { mesage: 'x' }, 'criteria: unknown field mesage of breadcrumb; did you mean message?'],
] as const)('checkCriteriaFor rejects an unknown field of %s with a suggestion', (kind, criteria, message) => {
  expect(() => checkCriteriaFor(kind, criteria)).toThrow(new TypeError(message))
})
