import type { Values } from './planted-values'

/** Names under which applications and frameworks keep secrets. */
const NAMES = (
  'password passwd pass pw pwd pin cvv cvc otp secret token auth Authorization Ocp-Apim-Subscription-Key X-Functions-Key connectionString webhook_url ' +
  'mnemonic passwort senha contraseña .AspNetCore.Cookies api_key apiKey apikey API_KEY X-Api-Key X-Auth-Token X-Access-Token X-Amz-Security-Token ' +
  'x-goog-api-key x-csrf-token x-xsrf-token X-Vault-Token X-Gitlab-Token X-Shopify-Access-Token X-Telegram-Bot-Api-Secret-Token X-Hub-Signature-256 ' +
  'X-Slack-Signature Stripe-Signature Proxy-Authorization Authentication WWW-Authorization access_token refresh_token id_token session_token ' +
  'csrfmiddlewaretoken authenticity_token __RequestVerificationToken bearer_token bot_token device_token push_token reset_token invite_token verification_token ' +
  'confirmation_token unlock_token remember_token api_token apiToken deploy_token personal_access_token npm_token NPM_TOKEN GITHUB_TOKEN GH_TOKEN SLACK_TOKEN ' +
  'DISCORD_TOKEN TELEGRAM_BOT_TOKEN HF_TOKEN VAULT_TOKEN DIGITALOCEAN_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY SENDGRID_API_KEY TWILIO_AUTH_TOKEN ' +
  'STRIPE_SECRET_KEY AWS_SECRET_ACCESS_KEY aws_session_token AWS_ACCESS_KEY_ID GOOGLE_APPLICATION_CREDENTIALS_JSON AZURE_CLIENT_SECRET ARM_ACCESS_KEY DATABASE_PASSWORD ' +
  'DB_PASS DB_PASSWORD dbPassword db_pwd MYSQL_ROOT_PASSWORD POSTGRES_PASSWORD PGPASSWORD REDIS_PASSWORD RABBITMQ_DEFAULT_PASS SMTP_PASSWORD MAIL_PASSWORD ' +
  'smtpPass EMAIL_HOST_PASSWORD ldap_password bindPassword bind_pw rootpw user_pw userPassword user_password currentPassword newPassword new_password1 ' +
  'oldPassword confirmPassword password_confirmation passwordConfirm passwordHash password_hash hashed_password password_digest pwd_hash encrypted_password ' +
  'passphrase pass_phrase passcode passCode keyPassphrase keystorePassword trustStorePassword key_password ssl_key_password master_password masterKey master_key ' +
  'RAILS_MASTER_KEY SECRET_KEY SECRET_KEY_BASE secretKey secret_key APP_SECRET app_secret appSecret APP_KEY appKey client_secret clientSecret consumer_secret ' +
  'consumer_key signing_secret signingKey webhook_secret webhookSecret jwt_secret JWT jwtToken NEXTAUTH_SECRET AUTH_SECRET COOKIE_SECRET SESSION_SECRET ' +
  'sessionSecret encryption_key encryptionKey ENCRYPTION_KEY aes_key hmac_key hmacSecret cipher_key private_key privateKey PRIVATE_KEY privkey ssh_key ' +
  'sshPrivateKey deploy_key license_key licenseKey storage_key storageAccountKey account_key accountKey shared_key SharedAccessKey SharedAccessSignature ' +
  'sas_token sasToken service_role_key serviceAccountKey service_account_json functions_key function_key host_key subscription_key subscriptionKey ' +
  'connection_string ConnectionStrings AzureWebJobsStorage DATABASE_URL_WITH_AUTH webhookUrl SLACK_WEBHOOK_URL discord_webhook incoming_webhook seed_phrase ' +
  'seedPhrase recovery_phrase recoveryPhrase recovery_code recovery_codes backup_codes backupCode wallet_seed mnemonicPhrase two_factor_code twoFactorCode 2fa_code ' +
  'mfa_code mfaToken totp_secret totpSecret otp_secret otpCode one_time_password oneTimeCode one_time_code sms_code smsCode verification_code verificationCode ' +
  'auth_code authCode authorization_code code_verifier codeVerifier oauth_verifier oauth_token oauth_token_secret client_assertion assertion SAMLResponse ' +
  'kennwort Passwort_neu geheimnis mot_de_passe motdepasse mdp contrasena clave palabra_clave senha_atual wachtwoord lösenord hasło haslo parola пароль 密码 ' +
  'パスワード 비밀번호 şifre heslo jelszó salasana adgangskode passord card_number cardNumber ccnum cc_number creditCardNumber card_cvc cardCvv security_code ' +
  'securityCode pin_code pinCode PIN user_pin atm_pin ssn social_security_number socialSecurityNumber tax_id_ssn credentials creds credential userCredentials ' +
  'cookie Cookie Set-Cookie session_cookie JSESSIONID PHPSESSID connect.sid sessionid ASP.NET_SessionId laravel_session __Secure-next-auth.session-token'
).split(' ')

/** All names, each once. */
export const SECRET_NAMES: readonly string[] = [...new Set(NAMES)]

export function valueFor(name: string, values: Values): string {
  if (/(?:^|_)(?:pin|cvv|cvc|otp)|code/i.test(name)) return `${values.number(1, 9)}${values.digits(5)}`
  if (/card|ccnum|cc_num/i.test(name)) return values.luhn('5305', 16)
  if (/connection/i.test(name)) return `Server=db;User=sa;Pw=${values.alnum(14)};Encrypt=true`
  if (/webhook.*url|webhookurl|incoming|_webhook$/i.test(name)) return `https://hooks.shop.test/in/${values.alnum(24)}`
  if (/phrase|mnemonic|seed/i.test(name)) return values.words(12)
  if (/^(?:set-)?cookie$/i.test(name)) return `sessionid=${values.alnum(24)}; Path=/`
  return values.pick([values.password(), values.alnum(24), `${values.word()}${values.word()}`])
}
