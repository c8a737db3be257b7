import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { namesOf, nearestName, registeredAttribute } from '../../../lib/otlp/registered-attributes'
import { REGISTRY_FILE, reduceRegistry } from '../../repo/attribute-registry.js'

describe('the attribute registry', () => {
  it('equals the installed packages: after an update run node tests/repo/attribute-registry.js', () => {
    expect(JSON.parse(readFileSync(REGISTRY_FILE, 'utf8'))).toEqual(reduceRegistry())
  })

  it('names both packages with version and licence', () => {
    const { packages } = reduceRegistry()
    expect(packages).toHaveLength(2)
    expect(packages[0]).toMatch(/^@sentry\/conventions \d+\.\d+\.\d+, MIT, Copyright/)
    expect(packages[1]).toMatch(/^@opentelemetry\/semantic-conventions \d+\.\d+\.\d+, Apache-2\.0, Copyright/)
  })

  it.each([
    ['http.request.method', { type: 'string', isDeprecated: false, replacement: null, level: 'entry' }],
    ['http.method', { type: 'string', isDeprecated: true, replacement: 'http.request.method', level: 'entry' }],
    ['http.target', { type: 'string', isDeprecated: true, replacement: null, level: 'entry' }],
    ['http.response.status_code', { type: 'integer', isDeprecated: false, replacement: null, level: 'entry' }],
    ['service.instance.id', { type: null, isDeprecated: false, replacement: null, level: 'resource' }],
    ['host.name', { type: null, isDeprecated: false, replacement: null, level: 'resource' }],
    ['server.address', { type: 'string', isDeprecated: false, replacement: null, level: null }],
    [
      'deployment.environment',
      { type: null, isDeprecated: true, replacement: 'deployment.environment.name', level: 'resource' },
    ],
  ])('describes %s', (name, expected) => {
    expect(registeredAttribute(name)).toEqual(expected)
  })

  it('does not take attributes that moved to another repository for deprecated ones', () => {
    expect(registeredAttribute('gen_ai.agent.id')?.isDeprecated).toBe(false)
    expect(registeredAttribute('enduser.id')?.isDeprecated).toBe(false)
  })

  it('matches names with a key of the sender', () => {
    expect(registeredAttribute('http.request.header.x-tenant')?.type).toBe('string[]')
    expect(registeredAttribute('mcp.tool.result.rows.uri')?.isDeprecated).toBe(true)
    expect(registeredAttribute('http.request.header.')).toBeNull()
    expect(registeredAttribute('shop.cart.size')).toBeNull()
  })

  it('lists all names of an attribute, the current one first', () => {
    const names = ['http.request.method', 'http.method', 'http.request_method', 'method']
    expect(namesOf('http.request.method')).toEqual(names)
    expect(namesOf('http.method')).toEqual(names)
    expect(namesOf('shop.cart.size')).toEqual(['shop.cart.size'])
  })

  it.each([
    ['http.request.methd', 'http.request.method', 'a character is missing'],
    ['http.request.metthod', 'http.request.method', 'a character is added'],
    ['http.request.metgod', 'http.request.method', 'a character is replaced'],
    ['http_request.method', 'http.request.method', 'a dot is replaced'],
    ['servce.name', 'service.name', 'the first word is wrong'],
  ])('finds the nearest registered name of %s: %s (%s)', (typed, expected) => {
    expect(nearestName(typed)).toBe(expected)
  })

  it.each([
    ['http.request.method', 'it is registered'],
    ['http.request.mehtod', 'two characters differ'],
    ['shop.cart.size', 'nothing is near'],
    ['usr.id', 'it is too short'],
    ['username', 'a word without a dot belongs to the application'],
    ['http.request.header.hst', 'the sender chooses the key'],
  ])('finds no name for %s: %s', (name) => {
    expect(nearestName(name)).toBeNull()
  })
})
