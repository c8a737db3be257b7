import { base64, jwt, type Values } from './planted-values'

/** A text with a secret in it. */
interface Planted {
  readonly text: string
  readonly secret: string
}

export interface Shape {
  readonly name: string
  /** Rules are tuned with one half. The other half is only counted. */
  readonly half: 'tuning' | 'frozen'
  readonly plant: (values: Values) => Planted
}

type Make = (values: Values) => string
type Form = (secret: string, values: Values) => string

/** Keys in the formats of vendors. */
const KEYS: Readonly<Record<string, Make>> = {
  openai: (v) => `sk-${v.alnum(48)}`,
  openaiProject: (v) => `sk-proj-${v.alnum(64)}`,
  anthropic: (v) => `sk-ant-api03-${v.alnum(80)}`,
  sendgrid: (v) => `SG.${v.alnum(22)}.${v.alnum(43)}`,
  twilio: (v) => `SK${v.hex(32)}`,
  pypi: (v) => `pypi-AgEIcHlwaS5vcmc${v.alnum(80)}`,
  shopify: (v) => `shpat_${v.hex(32)}`,
  shopifyShared: (v) => `shpss_${v.hex(32)}`,
  digitalOcean: (v) => `dop_v1_${v.hex(64)}`,
  huggingFace: (v) => `hf_${v.alnum(34)}`,
  databricks: (v) => `dapi${v.hex(32)}`,
  vault: (v) => `hvs.${v.alnum(90)}`,
  vaultOld: (v) => `s.${v.alnum(24)}`,
  whsec: (v) => `whsec_${v.alnum(32)}`,
  googleAccess: (v) => `ya29.${v.alnum(60)}`,
  googleSecret: (v) => `GOCSPX-${v.alnum(28)}`,
  googleRefresh: (v) => `1//0${v.alnum(60)}`,
  slackBot: (v) => `xoxb-${v.digits(12)}-${v.digits(12)}-${v.alnum(24)}`,
  slackWebhook: (v) => `https://hooks.slack.com/services/T${v.upper(9)}/B${v.upper(9)}/${v.alnum(24)}`,
  discordWebhook: (v) => `https://discord.com/api/webhooks/${v.digits(18)}/${v.alnum(68)}`,
  discordBot: (v) => `MT${v.alnum(24)}.G${v.alnum(5)}.${v.alnum(38)}`,
  telegram: (v) => `https://api.telegram.org/bot1${v.digits(9)}:AA${v.alnum(33)}/sendMessage`,
  telegramBare: (v) => `1${v.digits(9)}:AA${v.alnum(33)}`,
  stripe: (v) => `sk_live_${v.alnum(24)}`,
  github: (v) => `ghp_${v.alnum(36)}`,
  githubFine: (v) => `github_pat_${v.alnum(22)}_${v.alnum(59)}`,
  gitlab: (v) => `glpat-${v.alnum(20)}`,
  npm: (v) => `npm_${v.alnum(36)}`,
  aws: (v) => `AKIA${v.signs('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
  google: (v) => `AIza${v.alnum(35)}`,
  teams: (v) =>
    `https://shop.webhook.office.com/webhookb2/${v.uuid()}@${v.uuid()}/IncomingWebhook/${v.hex(32)}/${v.uuid()}`,
  resend: (v) => `re_${v.alnum(8)}_${v.alnum(24)}`,
  tailscale: (v) => `tskey-auth-${v.alnum(12)}-${v.alnum(32)}`,
  posthog: (v) => `phx_${v.alnum(43)}`,
  fly: (v) => `fm2_${v.alnum(80)}`,
  facebook: (v) => `EAAC${v.alnum(120)}`,
  sentry: (v) => `sntrys_${v.alnum(60)}`,
  jwt,
  pem: (v) => `-----BEGIN PRIVATE KEY-----\n${v.alnum(64)}\n${v.alnum(64)}\n-----END PRIVATE KEY-----`,
  card: (v) => v.luhn('4929', 16),
}

const random: Make = (v) => v.alnum(24)
const password: Make = (v) => v.password()

/** Forms in which texts state a secret. */
const FORMS: Readonly<Record<string, readonly [Make, Form]>> = {
  assigned: [password, (s) => `password=${s}`],
  header: [random, (s) => `X-Api-Key: ${s}`],
  headerOfAzure: [(v) => v.hex(32), (s) => `Ocp-Apim-Subscription-Key: ${s}`],
  headerOfFunctions: [(v) => `${v.alnum(54)}==`, (s) => `X-Functions-Key: ${s}`],
  json: [password, (s) => `{"user":"bo","password":"${s}"}`],
  jsonPin: [(v) => v.digits(6), (s) => `{"user":"bo","pin":"${s}"}`],
  jsonFourDeep: [password, (s) => nested(`{"password":"${s}"}`, 4)],
  option: [password, (s) => `tool --user bo --password ${s} --verbose`],
  optionShort: [password, (s) => `mysql -h db -u root -p${s} shop`],
  curlUser: [password, (s) => `curl -sS -u bo:${s} https://api.shop.test/v1`],
  wget: [password, (s) => `wget --http-password=${s} https://shop.test/x`],
  element: [password, (s) => `<login><user>bo</user><password>${s}</password></login>`],
  elementNamespace: [random, (s) => `<wsse:Password Type="Text">${s}</wsse:Password>`],
  input: [password, (s) => `<input type="password" name="p" value="${s}">`],
  digest: [
    (v) => v.hex(32),
    (s, v) => `Authorization: Digest username="bo", realm="shop", nonce="${v.hex(12)}", uri="/", response="${s}"`,
  ],
  basic: [(v) => base64(`bo:${v.password()}`), (s) => `Authorization: Basic ${s}`],
  bearer: [random, (s) => `sent Bearer ${s} to the API`],
  multipart: [password, (s) => `--b1\r\nContent-Disposition: form-data; name="password"\r\n\r\n${s}\r\n--b1--`],
  multipartToken: [
    random,
    (s) => `------W\nContent-Disposition: form-data; name="api_key"\nContent-Type: text/plain\n\n${s}\n------W--`,
  ],
  sqlInsert: [password, (s) => `INSERT INTO users (name, password, age) VALUES ('bo', '${s}', 31)`],
  sqlInsertLast: [random, (s) => `insert into "keys" ("id", "api_key") values (7, '${s}')`],
  sqlUpdate: [password, (s) => `UPDATE users SET password = '${s}' WHERE id = 4`],
  sqlIdentified: [password, (s) => `ALTER USER bo IDENTIFIED BY '${s}'`],
  stated: [password, (s) => `Your new password is ${s} and expires soon`],
  statedColon: [password, (s) => `temporary password: ${s}`],
  statedCode: [(v) => v.digits(6), (s) => `Your verification code is ${s}.`],
  statedPin: [(v) => v.digits(6), (s) => `PIN is ${s}`],
  base64Form: [(v) => base64(`user=bo&password=${v.password()}`), (s) => `payload ${s} was rejected`],
  base64Json: [(v) => base64(`{"api_key":"${v.alnum(20)}","id":4}`), (s) => `body=${s}`],
  base64Key: [(v) => base64(`ghp_${v.alnum(36)}`), (s) => `data: ${s}`],
  resetPath: [random, (s) => `GET https://shop.test/password/reset/${s}`],
  resetQuery: [random, (s) => `https://shop.test/reset-password?t=${s}`],
  magicLink: [random, (s) => `mailed https://shop.test/auth/magic-link/${s}`],
  verifyMail: [random, (s) => `opened /verify-email/${s}?lang=de`],
  invite: [random, (s) => `https://shop.test/invitations/accept/${s}`],
  oauthCode: [random, (s) => `GET /auth/callback?code=${s}&state=xyz`],
  oauthGoogleCode: [(v) => `4/0A${v.alnum(60)}`, (s) => `/oauth2/callback?state=1&code=${s}`],
  fragment: [random, (s) => `https://shop.test/cb#access_token=${s}&token_type=bearer`],
  fullWidth: [password, (s) => `password＝${s}`],
  fullWidthColon: [password, (s) => `パスワード：${s}`],
  german: [password, (s) => `Passwort: ${s}`],
  portuguese: [password, (s) => `senha=${s}`],
  spanish: [password, (s) => `contraseña: ${s}`],
  french: [password, (s) => `mot_de_passe=${s}`],
  urlUser: [password, (s) => `postgres://app:${encodeURIComponent(s)}@db.shop.test:5432/shop`],
  connection: [password, (s) => `Server=db;Database=shop;User Id=sa;Password=${s};Encrypt=true`],
  accountKey: [
    (v) => `${v.alnum(86)}==`,
    (s) => `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${s};EndpointSuffix=core.test`,
  ],
  signed: [(v) => v.alnum(43), (s) => `https://shop.blob.test/f.csv?sv=2025-01-01&se=2026-01-01&sig=${s}`],
  goUrl: [password, (s) => `dsn app:${s.replaceAll('#', '')}@tcp(db:3306)/shop`],
  ruby: [password, (s) => `Parameters: {"user"=>"bo", :password=>"${s}"}`],
  php: [password, (s) => `Array ( [user] => bo [password] => ${s} )`],
  goStruct: [password, (s) => `&{User:bo Password:${s} Port:5432}`],
  exported: [random, (s) => `export STRIPE_SECRET_KEY="${s}"`],
  dockerEnv: [password, (s) => `docker run -e POSTGRES_PASSWORD=${s} postgres`],
  netrc: [password, (s) => `machine git.shop.test login bo password ${s}`],
  ftp: [password, (s) => `> PASS ${s}`],
  ldap: [password, (s) => `ldapsearch -x -D cn=admin -w ${s} -b dc=shop`],
  redis: [password, (s) => `redis-cli -h cache -a ${s} ping`],
  smtp: [(v) => base64(`\u0000bo\u0000${v.password()}`), (s) => `AUTH PLAIN ${s}`],
  graphql: [password, (s) => `mutation { login(user: "bo", password: "${s}") { id } }`],
  cookie: [random, (s) => `Cookie: theme=dark; sessionid=${s}; lang=de`],
  cookieAspNet: [(v) => `CfDJ8${v.alnum(80)}`, (s) => `.AspNetCore.Cookies=${s}; path=/`],
  mnemonic: [(v) => v.words(12), (s) => `mnemonic: ${s}`],
  webhook: [random, (s) => `webhook_url=https://hooks.shop.test/in/${s}`],
  cvv: [(v) => `8${v.digits(3)}`, (s) => `cvv=${s}`],
}

/** Puts JSON into a string of JSON, several times. */
function nested(json: string, times: number): string {
  let out = json
  for (let time = 0; time < times; time += 1) out = JSON.stringify({ body: out })
  return out
}

const SENTENCES: readonly [Form, ...Form[]] = [
  (s) => `request with ${s} failed`,
  (s) => s,
  (s) => `retrying (${s}), attempt 2`,
  (s) => `value was "${s}"`,
]

/** 40 keys and a form for each of the others, alternately in both halves. */
export const SHAPES: readonly Shape[] = [
  ...Object.entries(KEYS).map(([name, make]) => ({
    name,
    plant: (values: Values) => {
      const secret = make(values)
      return { secret, text: values.pick(SENTENCES)(secret, values) }
    },
  })),
  ...Object.entries(FORMS).map(([name, [make, form]]) => ({
    name,
    plant: (values: Values) => {
      const secret = make(values)
      return { secret, text: form(secret, values) }
    },
  })),
].map((shape, index) => ({ ...shape, half: index % 2 === 0 ? 'tuning' : 'frozen' }))
