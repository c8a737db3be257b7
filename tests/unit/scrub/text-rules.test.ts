import { describe, expect, it } from 'vitest'
import type { RuleName } from '../../../lib/scrub/rules'
import { scrubText } from '../../../lib/scrub/scrub-text'

function scrub(text: string): { readonly text: string; readonly rules: readonly RuleName[] } {
  const rules: RuleName[] = []
  return { text: scrubText(text, 'plain', (rule) => rules.push(rule)), rules }
}

const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'

/** Rule, a text that has «» around each part that the rule removes, and the scrubbed text if it differs in more. */
const MARKED: readonly (readonly [RuleName, string, string?])[] = [
  ['pem', `key: x «${PEM}» after`],
  ['pem', '«-----BEGIN PUBLIC KEY-----\nMIIB»'],
  ['pem', '«-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----»!'],
  ['url_auth', 'postgres://app:«hunter2»@db.internal:5432/shop'],
  ['url_auth', 'redis://:«p$w!d»@10.0.0.1'],
  ['parameter', 'GET https://shop.test/pay?step=2&token=«abc123»&x=1'],
  ['parameter', 'access_token=«abc»&grant=1'],
  ['parameter', 'user[password]=«hunter2»'],
  ['parameter', 'user%5Bpassword%5D=«hunter2»'],
  ['parameter', 'login failed: password: «hunter2!»'],
  ['parameter', 'pwd = "«two words»" ok'],
  ['parameter', '{"password":"«hun\\"ter2»","user":"bob"}'],
  ['parameter', '"{\\"apiKey\\":\\"«k-1»\\",\\"a\\":1}"'],
  ['parameter', '{"otp":123456,"a":1}', '{"otp":"[Filtered]","a":1}'],
  [
    'parameter',
    '{"password":["hunter3"],"credentials":{"user":"b]}","pass":["x"]},"a":1}',
    '{"password":"[Filtered]","credentials":"[Filtered]","a":1}',
  ],
  ['parameter', '"{\\"password\\":[\\"hun]ter3\\"],\\"b\\":2}"', '"{\\"password\\":\\"[Filtered]\\",\\"b\\":2}"'],
  [
    'parameter',
    "{'password': ['hunter2'], 'auth': ('bob', \"it's)\"), 'x': 1}",
    "{'password': '[Filtered]', 'auth': '[Filtered]', 'x': 1}",
  ],
  ['parameter', '{"tokens":["abc","de', '{"tokens":"[Filtered]"'],
  ['parameter', 'password=«(a)b»&x=1'],
  ['parameter', "password: «(don't] tell)» more"],
  ['parameter', 'secret=«[Filtered]» secret=«abc»'],
  ['parameter', 'next=https%3A%2F%2Fa%2Fcb%3Faccess_token%3D«abc»%26x%3D1&y=2'],
  ['parameter', 'u=%253Ftoken%253D«a%25252Fb»%2526x%253D1&y=2'],
  ['parameter', 'a%3Dtoken%3D«abc»'],
  ['parameter', 'd=%7B%22password%22%3A%22«hun%20%5C%22ter2»%22%2C%22a%22%3A1%7D'],
  ['parameter', 'h=Authorization%3A%20Bearer%20«abc.def»'],
  ['parameter', 'csrfmiddlewaretoken=«abc»&next=/'],
  ['parameter', "{'secret' => '«x y»'}"],
  ['parameter', 'curl -H "Authorization: «Basic dXNlcjpwYXNz»" x'],
  ['parameter', 'Invalid API key: «sk-12»'],
  ['parameter', 'DB_PASS=«hunter2»'],
  ['parameter', 'mysql --password=«hunter2» shop'],
  ['parameter', 'https://b.s3.test/o?X-Amz-Signature=«0f3a»'],
  ['parameter', 'mysql -u root --password «hunter2» shop'],
  ['parameter', 'Connecting with --api-key "«two words»" and -token «x»'],
  ['parameter', "['mysql', '--password', '«hunter2»', '-v']"],
  ['parameter', '[\\"--token\\",\\"«x»\\"]'],
  ['parameter', 'apiKeys: «k1» accessKeys=«k2»'],
  ['parameter', 'os.environ["DB_PASSWORD"] = "«x»"'],
  ['parameter', 'if token === "«x»"'],
  ['parameter', 'password := "«x»"'],
  ['parameter', "CREATE USER b IDENTIFIED BY '«Moor-Huhn12»'"],
  ['parameter', "ALTER USER b WITH PASSWORD '«Moor!Huhn»'"],
  ['parameter', 'Your password is «Moorhuhn12,» please change it'],
  ['parameter', 'curl -u bob:«Moor-Huhn12» https://a.test'],
  ['parameter', "sshpass -p '«Moor+Huhn12»' ssh b@h"],
  ['parameter', 'docker login -u bob -p «Moor-Huhn12» r.test'],
  ['parameter', 'mysqldump -u root -p«Moor-Huhn12» shop'],
  ['parameter', 'redis-cli -a «Moor-Huhn12» ping'],
  ['parameter', '"AUTH" "shop" "«Moor-Huhn12»"'],
  ['parameter', 'dsn bob:«Moor-Huhn12»@tcp(10.0.0.5:3306)/shop'],
  ['parameter', '[["reset_password_token", "«x7Kp2Qv9Lm»"]]'],
  ['parameter', '{"user":"bob","pass":"«Moor-Huhn12»"}'],
  ['parameter', 'input#password value="«Moor-Huhn12»"'],
  ['parameter', '_shop_session=«x7Kp2Qv9Lm4Td81zWb6Y»; path=/'],
  ['parameter', 'GET /verify?key=«x7Kp2Qv9Lm4Td81zWb6Y»&a=1'],
  ['parameter', 'Temporary password for bob: «x7Kp2Qv9Lm»'],
  ['parameter', 'copied token «x7Kp2Qv9Lm4Td81zWb6Y» to it'],
  ['parameter', '<password>«Moor-Huhn12»</password>'],
  ['parameter', '<add key="ApiKey" value="«x7Kp2Qv9Lm4Td81z»" />'],
  ['parameter', "new PDO('mysql:host=db', 'bob', '«Moor-Huhn12»')"],
  ['parameter', 'license_key=«7F3A91BC-77DE04A2-9C1185A5»'],
  ['parameter', 'cookie: PHPSESSID=«uwlqdi38fgpin88u»; lang=de'],
  ['parameter', 'password＝«hunter2» パスワード：«hunter2»'],
  ['parameter', 'contraseña: «hunter2», senha=«hunter2»'],
  ['parameter', 'Ocp-Apim-Subscription-Key: «0f3a»'],
  ['parameter', 'webhook_url=«https://h.test/in/1»'],
  ['parameter', '<wsse:Password Type="Text">«hunter»</wsse:Password>'],
  ['parameter', 'curl -u a:«b» https://h.test'],
  ['parameter', 'mysql -u root -p«hunter» shop'],
  ['parameter', `Authorization: «Digest username=»"bo", uri="/", response="«${'0f3a'.repeat(8)}»"`],
  ['parameter', 'form-data; name="pw"\r\n\r\n«hunter2»\r\n--b'],
  ['parameter', "INSERT INTO u (id, pass, n) VALUES (1, '«it''s»', 'x'), (2, NULL, 'y'), (fn(3), '«b)»', $1)"],
  ['parameter', 'your login code is «123456».'],
  ['parameter', '{"pin":"«1234»"} pin=«4321»'],
  ['parameter', `mnemonic: "«${'amber '.repeat(11)}zinc»" kept`],
  ['parameter', 'GET /reset-password/«x7Kp2Qv9Lm4Td81zWb6Y» 200'],
  ['parameter', '/verify-email?lang=de&t=«x7Kp2Qv9Lm4Td81zWb6Y»'],
  ['parameter', '/callback?code=«x7Kp2Qv9Lm4Td81zWb6Y»&state=1'],
  ['parameter', `got «${Buffer.from('user=bo&password=hunter2').toString('base64')}» back`],
  ['parameter', `a=${'{\\"b\\":'}{"password${'\\'.repeat(15)}":${'\\'.repeat(15)}"«x»${'\\'.repeat(15)}"`],
  ['card', '?q=4111%204111%204111%204111%2C&x=«4111%201111%201111%201111»'],
  ['bearer', 'sent Bearer «abc.def-123» upstream'],
  ['bearer', 'header was basic «dXNlcjpwYXNz»'],
  ['bearer', 'h=Bearer%20«abc.def»'],
  ['jwt', `got «${JWT}» back`],
  ['jwt', `/cb%3Fid%3D«${JWT}»%26x%3D1`],
  ['jwt', `%7B%22a%22%3A%22«${JWT}»%22%7D`],
  ['card', 'card «4111 1111 1111 1111» refused'],
  ['card', 'card-«4111-1111-1111-1111».'],
  ['card', 'amex «378282246310005»'],
  ['card', 'visa «4222222222222»'],
  ['card', 'union «6200000000000000000»'],
  ['card', 'card «4111 1111 1111 1111» 12/25 declined'],
  ['card', '«4242424242424242» 123'],
  ['card', '«4111111111111111» 2026-01-02'],
  ['card', '25 «4111-1111-1111-1111» 12 25'],
  ['card', '«3782 822463 10005» 1234'],
  ['card', 'n%3D«4111111111111111»%26'],
  ['ssn', 'ssn is «078-05-1120».'],
  ['iban', 'from «DE89 3704 0044 0532 0130 00» AND MORE'],
  ['iban', '«GB82WEST12345698765432»'],
  ['iban', '«DE89 4111 1111 1111 1111 11» paid'],
  ['email', 'mail to «alice.b+x@example.co.uk» failed'],
  ['email', '<«bob@example.com»>.'],
  ['email', '/unsubscribe?who=«alice%40example.com»&a=1'],
  ['email', '«jürgen@bücher.example»'],
  ['email', 'GET https://shop.test/users/«ada%40example.com»'],
  ['email', '/of/«ada@example.org.txt» and «ada%40example.com.min.js.map»'],
  ['email', '«orders-ada@example.com_2026.json», «ada@example.com.20261122.csv»'],
  ['email', '«ada@mail_1.example.com»'],
  ['user_path', 'ENOENT /home/«alice»/app/x.js'],
  ['user_path', 'file:///Users/«alice»/x.js:1:2'],
  ['user_path', 'at C:\\Users\\«Alice Smith»\\app\\x.js'],
  ['user_path', 'c:/users/«alice»'],
]

/** Rule, text, and the scrubbed text. */
const TAKEN = MARKED.map(
  ([rule, marked, left = marked.replace(/«[^»]*»/g, '[Filtered]')]) =>
    [rule, marked.replace(/[«»]/g, ''), left] as const,
)

const LEFT: readonly (readonly [RuleName, string])[] = [
  ['pem', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
  ['url_auth', 'https://shop.test:8443/a@b'],
  ['url_auth', 'https://0123456789abcdef0123456789abcdef@o1.ingest.test/5'],
  ['url_auth', 'webpack-internal:///(rsc)/./node_modules/x@1:2'],
  ['parameter', 'monkey=1&author=bob&keyboard=de&compass: north'],
  ['parameter', 'Unexpected token: punc'],
  ['parameter', 'give --password or --token, and -auth is not needed'],
  ['parameter', 'docker login --password-stdin registry.test --no-auth x --token-file /run/t --token --verbose'],
  ['parameter', 'git log --author bob --sort-key name well-token x - token x'],
  ['parameter', 'apiKeys, sortKeys=a, public_keys: b, monkeys=c'],
  ['parameter', 'a=author%3Dbob%26monkey%3D1%26token%3Dnull%26pwd%3D%26x'],
  ['parameter', 'Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON'],
  ['parameter', 'token=null&password=&secret=[Filtered]'],
  ['parameter', 'Newtonsoft.Json, Version=13.0.0.0, PublicKeyToken=30ad4fe6b2a6aeed'],
  ['parameter', 'the password is incorrect, the token is expired, the key is not unique'],
  ['parameter', 'mysql -u root -p shop < dump.sql; docker login -u $USER -p $PASS; redis: AUTH failed'],
  ['parameter', 'session_id=x7Kp2Qv9Lm4Td81zWb6Y session=8f14e45f-ceea-467f-a0e6-1f2b3c4d5e6f ?key=products'],
  ['parameter', 'pass: 14, pass=true, ["password", "required"], <password>{value}</password>'],
  ['parameter', 'max_tokens: 0 total_tokens=12 {"prompt_tokens":12} token_type=mac tokenType: bearer'],
  ['parameter', 'input#password.wide[name="password"] > button[type="submit"]'],
  ['parameter', 'INSERT INTO users (name, password) VALUES ($1, $2)'],
  ['parameter', 'pin 7 is high, pin: 13, mnemonic: mov, verification code is on its way'],
  [
    'parameter',
    'POST /password/reset 302, /reset/confirmation/complete, /invite/accept?t=1, ?code=SAVE10&code=ECONNREFUSED',
  ],
  ['parameter', `data:image/png;base64,${Buffer.from('\u0089PNG password=hunter2').toString('base64')}`],
  ['parameter', '/a%20b?q=%7B%22page%22%3A1%7D&broken=%e4%'],
  ['bearer', 'the bearer of bad news, bearer token missing'],
  ['bearer', 'basic authentication'],
  ['jwt', 'eyJust some words. And more.'],
  ['card', 'order 4111 1111 1111 1112'],
  ['card', 'order 2920000000000003, 6100000000000006 and 5900000000000000'],
  ['card', '0.4111111111111111'],
  ['card', '4111 1111 1111 1112 12/25'],
  ['card', '411 111 111 111 111 1 20 30 40 50 60 70'],
  ['card', 'a1b2c3d4-4111-4111-8111-411111111111'],
  ['card', 'at 1795000000123456789 ns'],
  ['card', '41111111111111111111111111111111'],
  ['ssn', '2026-11-20 and 000-12-3456 and a078-05-1120'],
  ['iban', 'DE88 3704 0044 0532 0130 00'],
  ['iban', 'ZZ82WEST12345698765432'],
  ['email', 'next@16.4.6_react-dom@19.2.0, logo@2x.png, @sentry/nextjs, git@github.com:a/b, user@localhost'],
  [
    'email',
    'http://localhost:3000/_next/static/chunks/node_modules_%40sentry_browser_build_npm_esm_dev_index_ab12._.js',
  ],
  ['email', '/_next/static/chunks/node_modules_@sentry-internal_replay_build_npm_esm_index_0c9d3e.js.map?v=1'],
  ['email', 'node_modules/@sentry/browser/index.js:1:2, /@scope/name.js, /%40scope/name.css, %2F%40scope.io%2Fname.js'],
  ['email', 'app_shop_@modal_page_tsx_1a2b._.js, logo@dark.svg, styles@main.module.css, inter@latin.woff2'],
  ['user_path', 'GET /home/garden and https://shop.test/home/garden and ~/home/x'],
  ['user_path', '/users/42'],
]

describe('a rule for any text', () => {
  it.each(TAKEN)('%s removes its part of %j', (rule, text, left) => {
    expect(scrub(text)).toEqual({ text: left, rules: [rule] })
  })

  it.each(LEFT)('%s keeps %j', (_rule, text) => {
    expect(scrub(text)).toEqual({ text, rules: [] })
  })

  it.each(TAKEN)('%s finds nothing more in its own result for %j', (_rule, text) => {
    const { text: left } = scrub(text)
    expect(scrub(left)).toEqual({ text: left, rules: [] })
  })

  it('is followed by the others: one text can contain several secrets', () => {
    expect(scrub(`alice@example.com paid 4111111111111111 with ?token=1`)).toEqual({
      text: '[Filtered] paid [Filtered] with ?token=[Filtered]',
      rules: ['parameter', 'card', 'email'],
    })
  })

  it('keeps a user folder at the beginning of a route', () => {
    const never = (): never => expect.fail('nothing is to be found')
    expect(scrubText('/home/garden', 'route', never)).toBe('/home/garden')
  })
})
