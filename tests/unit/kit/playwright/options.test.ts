import { describe, expect, it } from 'vitest'
import { resolveOptions, type WaystationOptions } from '../../../../lib/kit/playwright/options'
import { defineConfig } from '../../../../lib/verdict/expectations/define-config'

const ENV = { WAYSTATION_COLLECTOR_URL: 'http://127.0.0.1:8969' }
const wrong = (options: object): string => {
  try {
    resolveOptions(options as WaystationOptions, undefined, ENV)
    return 'nothing is wrong'
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return error.message
  }
}

describe('the options of a test', () => {
  it('come from the environment, with failing errors by default', () => {
    expect(resolveOptions({}, 'http://localhost:3000/shop', ENV)).toEqual({
      collectorUrl: 'http://127.0.0.1:8969',
      appUrl: 'http://127.0.0.1:8969',
      origins: ['http://localhost:3000'],
      unexpectedErrors: 'fail',
      refusedEnvelopes: 'fail',
      pagesWithout: [],
      allow: [],
      waitMs: undefined,
      settleMs: undefined,
      attachEnvelopes: true,
      token: null,
    })
  })

  it('override the environment', () => {
    const given = {
      collectorUrl: 'http://127.0.0.1:1/',
      appUrl: 'http://localhost:2/',
      origins: ['http://localhost:3/x'],
    }
    expect(resolveOptions(given, undefined, { ...ENV, WAYSTATION_APP_URL: 'http://localhost:4' })).toMatchObject({
      collectorUrl: 'http://127.0.0.1:1',
      appUrl: 'http://localhost:2',
      origins: ['http://localhost:3'],
    })
  })

  it('take the token from the environment', () => {
    expect(resolveOptions({}, undefined, { ...ENV, WAYSTATION_TOKEN: 'secret' }).token).toBe('secret')
    expect(resolveOptions({}, undefined, { ...ENV, WAYSTATION_TOKEN: '' }).token).toBeNull()
  })

  it('accept allow of a configuration, with or without entries', () => {
    const known = defineConfig({ allow: [{ error: 'the card was declined' }] })
    expect(resolveOptions({ allow: known.allow }, undefined, ENV).allow).toEqual([{ error: 'the card was declined' }])
    expect(resolveOptions({ allow: defineConfig({}).allow }, undefined, ENV).allow).toEqual([])
  })

  it('contain each origin once', () => {
    const given = { origins: ['http://localhost:3000/', 'http://localhost:4000'] }
    expect(resolveOptions(given, 'http://localhost:3000', ENV).origins).toEqual([
      'http://localhost:3000',
      'http://localhost:4000',
    ])
  })
})

describe('an invalid option is rejected with the valid value:', () => {
  it.each([
    [{ colectorUrl: 'x' }, 'waystation.colectorUrl is not an option; did you mean collectorUrl?'],
    [
      { unexpectedErrors: 'warning' },
      'waystation.unexpectedErrors must be fail, warn or ignore, got "warning"; did you mean warn?',
    ],
    [
      { refusedEnvelopes: 'failing' },
      'waystation.refusedEnvelopes must be fail, warn or ignore, got "failing"; did you mean fail?',
    ],
    [
      { pagesWithout: '/legacy' },
      'waystation.pagesWithout must be a list of paths, such as [\'/legacy/*\'], got "/legacy"',
    ],
    [{ collectorUrl: '8969' }, 'waystation.collectorUrl must be an address such as http://127.0.0.1:8969, got "8969"'],
    [{ waitMs: 0 }, 'waystation.waitMs must be ms above 0 and up to 2147483647, got 0'],
    [{ settleMs: -1 }, 'waystation.settleMs must be ms from 0 to 2147483647, got -1'],
    [{ appUrl: 'file:///x' }, 'waystation.appUrl must be an address such as http://127.0.0.1:8969, got "file:///x"'],
  ])('%j', (options, sentence) => {
    expect(wrong(options)).toBe(sentence)
  })

  it('no collector', () => {
    expect(() => resolveOptions({}, undefined, {})).toThrow(
      'WAYSTATION_COLLECTOR_URL is not set, so there is no collector; run the tests as: waystation run -- npx playwright test',
    )
  })
})
