/**
 * Attribute of `<html>` that carries the telemetry settings to the browser, as JSON. A file of its own, because pages
 * download all of it before their first paint.
 */
export const SETTINGS_ATTRIBUTE = 'data-waystation'
