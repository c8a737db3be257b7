/** Opens a page. */
export const navigate = (href: string): void => window.location.assign(href)
