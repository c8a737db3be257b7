import type { Metadata } from 'next'
import { environment } from '../environment'
import { localPath } from './local-path'

export const metadata: Metadata = { title: 'Sign in' }

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | readonly string[] | undefined>>>
}

/** A plain form that works without scripts. */
export default async function LoginPage({ searchParams }: Props) {
  const { next, wrong } = await searchParams
  if (environment().token === undefined) return <NoToken />
  return (
    <div className="page stack">
      <h1>Sign in</h1>
      <p className="soft">
        Authentication required: enter the token that Waystation was started with (<code>WAYSTATION_TOKEN</code>).
      </p>
      {wrong !== undefined && (
        <p className="banner bad" role="alert" data-testid="login-wrong">
          The token is wrong.
        </p>
      )}
      <form className="row" method="post" action="/login/enter">
        <input type="hidden" name="next" value={localPath(next)} />
        <label htmlFor="token">Token</label>
        <input
          id="token"
          className="field"
          type="password"
          name="token"
          autoComplete="current-password"
          required
          data-testid="login-token"
        />
        <button className="button primary" type="submit" data-testid="login-submit">
          Sign in
        </button>
      </form>
    </div>
  )
}

function NoToken() {
  return (
    <div className="page stack" data-testid="login-no-token">
      <h1>Sign in</h1>
      <p>
        No token is configured: everyone on this machine can open this app. To require a token, start Waystation with{' '}
        <code>WAYSTATION_TOKEN</code>.
      </p>
      <p>
        <a className="button" href="/">
          Home
        </a>
      </p>
    </div>
  )
}
