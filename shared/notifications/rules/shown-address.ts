import { hash } from 'node:crypto';
import { mayAs, type Role } from '#shared/callers/roles.ts';

/** Characters of the SHA-256 of an address, in hex: enough to tell the targets of an organization apart. */
const DIGEST_LENGTH = 8;

/** Stands for the path and the query of a masked address. */
const MASK = '/…#';

/** Returns the address of a target as a caller with this role sees it (`rules/notifications.md#masked-addresses`). */
export const shownAddress = (webhook: string, role: Role): string =>
  mayAs(role, 'member') ? webhook : new URL(webhook).origin + MASK + hash('sha256', webhook).slice(0, DIGEST_LENGTH);

/** Returns whether a text was made by masking an address. */
export const isMasked = (text: string): boolean => /^https?:\/\/[^/?#]+\/…#[\da-f]{8}$/i.test(text);
