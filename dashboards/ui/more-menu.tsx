'use client'

import { CSPProvider } from '@base-ui/react/csp-provider'
import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { clearSettled } from './clear-settled'
import { Glyph } from './glyph'
import type { MenuButton } from './lazy-menu'
import styles from './menu.module.css'
import { printable } from './printable'

export interface MenuAction {
  readonly label: string
  readonly onClick: () => void
}

interface MoreMenuProps {
  readonly button: MenuButton
  readonly actions: readonly MenuAction[]
}

/** Rarer actions of a list. */
export function MoreMenu({ button, actions }: MoreMenuProps) {
  const [isOpen, setOpen] = useState(true)
  const [failure, setFailure] = useState<string | null>(null)
  const clear = async (): Promise<void> => {
    try {
      await clearSettled()
      setFailure(null)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <CSPProvider disableStyleElements>
      <Menu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
        <Menu.Trigger render={button} />
        <Menu.Portal>
          <Menu.Positioner className={styles.place} sideOffset={4} align="end">
            <Menu.Popup className={styles.popup}>
              {actions.map(({ label, onClick }) => (
                <Menu.Item key={label} className={styles.item} onClick={onClick}>
                  <Glyph name="note" />
                  {label}
                </Menu.Item>
              ))}
              <Menu.Item className={styles.item} onClick={() => void clear()}>
                <Glyph name="delete" />
                Clear settled records …
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {failure !== null && (
        <span className={styles.failure} role="alert">
          Nothing was cleared: {printable(failure)}
        </span>
      )}
    </CSPProvider>
  )
}
