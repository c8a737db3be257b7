import { describe, expect, it } from 'vitest'
import { hostName, isLoopbackName } from '../../../lib/protocol/request'

describe('a host name', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]'])('%s is this machine', (name) => {
    expect(isLoopbackName(name)).toBe(true)
  })

  it.each([
    '',
    'localhost.evil.test',
    'evil.localhost',
    'notlocalhost',
    'localhost.',
    '127.0.0.1.evil.test',
    '127.0.0.1.nip.io',
    '1270.0.0.1',
    '127.1',
    '2130706433',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '10.0.0.1',
    'localhost\n',
  ])('%j is not certain to be', (name) => {
    expect(isLoopbackName(name)).toBe(false)
  })
})

describe('the name in a Host header', () => {
  it.each([
    ['localhost', 'localhost'],
    ['localhost:3000', 'localhost'],
    ['LocalHost:3000', 'localhost'],
    ['127.0.0.1:8969', '127.0.0.1'],
    ['[::1]', '::1'],
    ['[::1]:8969', '::1'],
    ['localhost:', 'localhost'],
  ])('%s is %s', (header, name) => {
    expect(hostName(header)).toBe(name)
  })

  it.each([
    '[::1].evil.test',
    '[::1]evil.test:80',
    'evil.test:80:localhost',
    'localhost@evil.test',
    'evil.test#localhost',
    '',
  ])('%j is not this machine', (header) => {
    expect(isLoopbackName(hostName(header))).toBe(false)
  })
})
