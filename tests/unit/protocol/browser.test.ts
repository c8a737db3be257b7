import { expect, it } from 'vitest'
import { browserOf } from '../../../lib/protocol/request'

const BLINK = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)'

it.each([
  [`${BLINK} Chrome/142.0.0.0 Safari/537.36`, 'Chrome 142'],
  [`${BLINK} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome 142'],
  [`${BLINK} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge 142'],
  [`${BLINK} Chrome/142.0.0.0 Safari/537.36 OPR/120.0.0.0`, 'Opera 120'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox 145'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    'Safari 26',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari 18',
  ],
  ['Mozilla/5.0 (compatible; Googlebot/2.1)', null],
  ['sentry.python/2.0.0', null],
  [null, null],
])('%s is %s', (userAgent, name) => {
  expect(browserOf(userAgent)).toBe(name)
})
