/** Resolves when the page with its own scripts and images is complete. */
export const loaded = (page: Window): Promise<void> =>
  new Promise((resolve) => {
    if (page.document.readyState === 'complete') resolve()
    else page.addEventListener('load', () => resolve(), { once: true })
  })
