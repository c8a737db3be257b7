import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { localPath } from '../../lib/guard/local-path'
import { sessionOf } from '../../lib/guard/token'
import { environment } from '../environment'
import { VisitorPage } from '../visitor-page'

export const metadata: Metadata = { title: 'Sign in' }

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | readonly string[] | undefined>>>
}

/** A plain form that works without scripts. */
export default async function LoginPage({ searchParams }: Props) {
  const { next, wrong, away, left } = await searchParams
  const isSignedIn = sessionOf(await headers()) !== null
  if (environment().token === undefined) return <NoToken />
  return (
    <VisitorPage>
      <h1>Sign in</h1>
      <p className="soft">
        Authentication required: enter the token that Waystation was started with (<code>WAYSTATION_TOKEN</code>).
      </p>
      {away !== undefined && (
        <p className="banner warn" role="status">
          The collector does not answer, so nobody can sign in now. Try again in a moment.
        </p>
      )}
      {left !== undefined && (
        <p className="banner" role="status">
          You are signed out.
        </p>
      )}
      {wrong !== undefined && (
        <p className="banner bad" role="alert">
          The token is wrong.
        </p>
      )}
      <form className="row" method="post" action="/login/enter">
        <input type="hidden" name="next" value={localPath(next)} />
        <label htmlFor="token">Token</label>
        <input id="token" className="field" type="password" name="token" autoComplete="current-password" required />
        <button className="button primary" type="submit">
          Sign in
        </button>
      </form>
      {isSignedIn && <SignOut />}
    </VisitorPage>
  )
}

function SignOut() {
  return (
    <form className="row" method="post" action="/login/leave">
      <button className="button" type="submit">
        Sign out
      </button>
      <button className="button" type="submit" name="everywhere" value="1">
        Sign out everywhere
      </button>
    </form>
  )
}

function NoToken() {
  return (
    <VisitorPage>
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
    </VisitorPage>
  )
}
