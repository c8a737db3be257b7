import { printable } from '../ui/printable'

/** The address of a received text that is a link with http or https, and its host; `null` for other texts. */
export function linkOf(text: string): { readonly href: string; readonly host: string } | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const { href, host, protocol, username, password } = new URL(text)
  // A name before the host could pass for the host.
  if ((protocol !== 'http:' && protocol !== 'https:') || username !== '' || password !== '') return null
  return { href, host }
}

/** A received text. Only addresses with http and https are links, with their host next to them. */
export function ReceivedLink({ text }: { readonly text: string }) {
  const link = linkOf(text)
  const shown = <bdi className="mono">{printable(text)}</bdi>
  if (link === null) return shown
  return (
    <>
      {shown}{' '}
      <a href={link.href} rel="noreferrer noopener" target="_blank">
        open {link.host}
      </a>
    </>
  )
}
