import { expect, it } from 'vitest'
import { isCountOfTokens, isSecretCookie, isSecretField, isSecretName } from '../../../lib/scrub/secret-names'

const words = (text: string): string[] => text.trim().split(/\s+/)

it.each([
  ...words(`
    password DB_PASS smtpPass Password PASSWORD2 userPassword new_passwd pwd mysql_pwd passphrase secret
    clientSecret AWS_SECRET_ACCESS_KEY api_key apiKeys accessKeys AWS_ACCESS_KEYS creditCards api_key2 idtokens jwts
    apiKey APIKey X-Api-Key xapikey private-key privatekey auth Authorization http.request.header.authorization
    proxy-authorization credentials token token1 accessToken x-csrf-token otp two_factor twoFactor two-factor-code
    ssn cvv cvc creditCard jwt X-Csrftoken csrfmiddlewaretoken xsrftoken resettoken idtoken jwttoken apisecret
    appsecret webhooksecret signingsecret dbpwd userpwd dbpass userpass otpcode encryptionkey sshkey
  `),
])('the name is secret in %s', (name) => {
  expect(isSecretName(name)).toBe(true)
})

it.each([
  ...words(`
    monkey monkeys keys sortKeys css pass author keyboard key sort_key cache.key public_key PublicKeyToken authority
    secretary tokenizer compass bypass overpass passenger tokenize zipcode barcode pwdump authors hotpot session
    __proto__ constructor
  `),
  '',
])('the name is not secret in %j', (name) => {
  expect(isSecretName(name)).toBe(false)
})

it('the last words decide about a very long name', () => {
  expect(isSecretName(`${'a.'.repeat(500_000)}password`)).toBe(true)
})

it.each(['pass', 'pw', 'PIN', 'user_pin', 'mnemonic', 'backup_codes', 'codeVerifier', 'X-Slack-Signature', 'APP_KEY2'])(
  'the field is secret in %s, not in a text',
  (name) => {
    expect([isSecretField(name), isSecretName(name)]).toEqual([true, false])
  },
)

it.each(['pass_rate', 'pin_count', 'spinner', 'status_code', 'public_key', 'signature', 'connection', 'token_type'])(
  'the field is not secret in %s',
  (name) => {
    expect(isSecretField(name)).toBe(false)
  },
)

it('a field that counts tokens is not secret', () => {
  expect(isCountOfTokens('max_tokens', '0')).toBe(true)
  expect(isCountOfTokens('maxTokens', '4096')).toBe(true)
  expect(isCountOfTokens('tokens', '1234567890')).toBe(false)
  expect(isCountOfTokens('token', '12')).toBe(false)
  expect(isCountOfTokens('tokens', 'abc')).toBe(false)
})

it.each([
  ...words(`
    sessionid PHPSESSID __session connect.sid next-auth.session-token _csrf XSRF-TOKEN su csrftoken
    remember_web_59ba36 .ASPXAUTH wordpress_logged_in_ab12
  `),
])('the cookie %s is a secret', (name) => {
  expect(isSecretCookie(name)).toBe(true)
})

it.each(['theme', 'lang', 'consent', 'sidebar'])('the cookie %s is not a secret', (name) => {
  expect(isSecretCookie(name)).toBe(false)
})
