import { absolute, BASE_PATH } from '#shared/base/addresses.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { Moment } from '#shared/evidence/records/moments.ts';
import type { Resource } from '../rules/verification-summary.ts';

/** Who reads a statement's subject, and under which address. */
export interface StatementPlace {
  /** Address of the service: `https://host`. */
  host: string;
  org: Pick<Organization, 'id' | 'name'>;
}

export const addressOf = ({ host, org }: StatementPlace, room: string, path: string): string =>
  absolute(host, `${BASE_PATH}/${room}/${org.name}/${path}`);

/**
 * Names the receipt of a moment, with the names that flow and trail had at that time. The hash of a moment is the SHA-256 of its
 * entry in the log.
 */
export const momentLink = (
  place: StatementPlace,
  { content: { names }, number, hash }: Pick<Moment, 'content' | 'number' | 'hash'>,
): Required<Resource> => ({
  uri: addressOf(place, 'receipts', `trails/${names.flow}/${names.trail}/${number}`),
  sha256: Buffer.from(hash).toString('hex'),
});
