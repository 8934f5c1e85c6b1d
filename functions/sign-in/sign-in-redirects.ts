import { BASE_PATH } from '#shared/base/addresses.ts';

/** What both halves of a sign-in share. */

/**
 * The cookie that keeps a sign-in in the browser until the provider sends the browser back. The browser comes from another
 * site then, so the cookie cannot be `SameSite=Strict`.
 */
export const SIGN_IN_COOKIE = { name: 'sign-in', attributes: ['HttpOnly', 'SameSite=Lax'] };

/** Returns the address that the provider sends browsers back to. It has to be registered there. */
export const redirectUri = (host: string): string => `${host}${BASE_PATH}/user/sign-in/callback`;

export const redirectTo = (location: string, cookies?: string[]) => ({
  status: 302 as const,
  body: '' as const,
  headers: { location },
  ...(cookies && { cookies }),
});
