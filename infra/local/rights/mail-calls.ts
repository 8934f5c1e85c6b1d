import { mailIdentityArn } from './arns.ts';
import { CALLER } from './calls.ts';
import type { Access } from './evaluate.ts';

/**
 * Returns the right that a mail needs. The mail service asks for it on the identity of the sender: here the address, and not
 * its domain.
 */
export const mailAccesses = (from: string): Access[] => [
  { action: 'ses:SendEmail', resource: mailIdentityArn(from), context: { ...CALLER, 'ses:FromAddress': () => [from] } },
];
