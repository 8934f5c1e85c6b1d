import * as z from 'zod';
import { withInput } from '#shared/base/validation.ts';

/** Addresses in evidence (rules/attestations.md#addresses-in-evidence). Readers follow them, so they are checked when they come in. */

/** An absolute http or https address with a host, without user and password. */
export const HttpUrl = z
  .url({ protocol: /^https?$/ })
  .regex(/^https?:\/\/[^ /?#\\@]+([/?#]|$)/)
  .meta({ format: 'uri' });

/** The same where clients send an empty text for an address that they do not know. */
export const HttpUrlOrEmpty = z.union([HttpUrl, z.literal('')]);

/** Schemes of addresses that a browser runs, or shows as if a page of the service contained them. */
const PAGE_SCHEMES = ['javascript:', 'data:', 'vbscript:', 'blob:', 'filesystem:', 'about:', 'view-source:'];

function isRepositoryAddress(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { protocol, password } = new URL(text);
  return password === '' && !PAGE_SCHEMES.includes(protocol);
}

/**
 * The address of a repository or of a commit in it, as the version control system names it: clients also send
 * `git@host:team/repo`, `ssh://host/repo` and paths.
 */
export const RepositoryAddress = z.string().refine(isRepositoryAddress, {
  error: ({ input }) =>
    withInput('Input should be an address without a password, and without a scheme that browsers run', input),
});
