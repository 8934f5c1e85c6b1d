/** The one-time token of a link `…/-/sign-in#once=…`; null if the address has none. */
export const onceOf = (hash: string): string | null => new URLSearchParams(hash.replace(/^#/, '')).get('once');

/** The token against forgery, which writes send back as a header; '' without a session (rules/requests.md#csrf-token). */
export const csrfTokenOf = (cookies: string): string =>
  /(?:^|; )(?:__Host-)?session-csrf=([^;]*)/.exec(cookies)?.[1] ?? '';
