'use client'

import { CSPProvider } from '@base-ui/react/csp-provider'
import { Popover } from '@base-ui/react/popover'
import { useState } from 'react'
import { Glyph } from './glyph'
import type { MenuButton } from './lazy-menu'
import styles from './menu.module.css'
import { navigate } from './navigation'
import { usePreference } from './preferences'
import { printable } from './printable'
import { addView, parseViews, removeView, VIEW_NAME_LENGTH, viewsOf } from './saved-views'

/** The views of this page that were saved by name in this browser. */
export function ViewsMenu({ button }: { readonly button: MenuButton }) {
  const [text, write] = usePreference('views')
  const [isOpen, setOpen] = useState(true)
  const [name, setName] = useState('')
  const views = parseViews(text)
  return (
    <CSPProvider disableStyleElements>
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger render={button} />
        <Popover.Portal>
          <Popover.Positioner className={styles.place} sideOffset={4} align="end">
            <Popover.Popup className={styles.popup} aria-label="Saved views">
              <ul className={styles.views}>
                {(isOpen ? viewsOf(views, window.location.pathname) : []).map((view) => (
                  <li key={view.name}>
                    <button
                      type="button"
                      className={styles.item}
                      onClick={() => {
                        setOpen(false)
                        navigate(`${view.path}${view.search}`)
                      }}
                    >
                      <bdi>{printable(view.name)}</bdi>
                    </button>
                    <button
                      type="button"
                      className={styles.item}
                      aria-label={`Delete the view ${printable(view.name)}`}
                      onClick={() => write(JSON.stringify(removeView(views, view)))}
                    >
                      <Glyph name="close" />
                    </button>
                  </li>
                ))}
              </ul>
              <form
                className={styles.form}
                onSubmit={(event) => {
                  event.preventDefault()
                  const { pathname: path, search } = window.location
                  if (name.trim() === '') return
                  write(JSON.stringify(addView(views, { name: name.trim(), path, search })))
                  setName('')
                }}
              >
                <input
                  className="field"
                  aria-label="Name of this view"
                  placeholder="name of this view"
                  maxLength={VIEW_NAME_LENGTH}
                  value={name}
                  onChange={({ target }) => setName(target.value)}
                />
                <button type="submit" className="button">
                  Save
                </button>
              </form>
              <p className={styles.note}>Kept in this browser.</p>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </CSPProvider>
  )
}
