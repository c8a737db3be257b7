'use client'

import { type ButtonHTMLAttributes, type ComponentType, cloneElement, type ReactElement, useState } from 'react'

export type MenuButton = ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>

interface LazyMenuProps<Menu> {
  readonly load: () => Promise<ComponentType<Menu>>
  readonly menu: Menu
}

/**
 * A button whose menu is loaded when it is first pressed, and then is open: the code of menus is more than that of the
 * list. Keep the same `load`.
 */
export function LazyMenu<Menu extends { readonly button: MenuButton }>({ load, menu }: LazyMenuProps<Menu>) {
  const [loaded, setLoaded] = useState<{ readonly Menu: ComponentType<Menu> } | null>(null)
  if (loaded !== null) return <loaded.Menu {...menu} />
  const open = (): void => {
    load().then(
      (Menu) => setLoaded({ Menu }),
      // The status line says that the collector does not answer; the next press tries again.
      () => null,
    )
  }
  return cloneElement(menu.button, { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick: open })
}
