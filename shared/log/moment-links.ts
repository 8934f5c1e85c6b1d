import * as z from 'zod';
import { absolute } from '#shared/base/addresses.ts';
import type { FlowId, OrganizationId } from '#shared/base/ids.ts';
import { momentKey } from '#shared/evidence/records/keys.ts';
import { BASE_PATH } from '#shared/http/gateway-event.ts';
import { keyText, type Table } from '#shared/table/table.ts';
import type { Resource } from './rules/verification-summary.ts';

/** Who reads a statement's subject, and under which address. */
export interface StatementPlace {
  /** Address of the service: `https://host`. */
  host: string;
  org: { id: OrganizationId; name: string };
}

/** A moment of a trail, with the names that addresses use. */
export interface MomentPlace {
  flow: { id: FlowId; name: string };
  trail: string;
  number: number;
}

const Link = z.object({ hash: z.custom<Uint8Array>((value) => value instanceof Uint8Array) });

/** Returns an address of the API. */
export const addressOf = ({ host, org }: StatementPlace, room: string, path: string): string =>
  absolute(host, `${BASE_PATH}/${room}/${org.name}/${path}`);

/** Names the receipt of a moment. @param flow name of the flow */
export const momentLink = (
  place: StatementPlace,
  { flow, trail, number }: { flow: string; trail: string; number: number },
  hash: Uint8Array,
): Required<Resource> => ({
  uri: addressOf(place, 'receipts', `trails/${flow}/${trail}/${number}`),
  sha256: Buffer.from(hash).toString('hex'),
});

/**
 * Reads the hashes of moments and names their receipts. The hash of a moment is the SHA-256 of its entry in the log.
 *
 * @returns in the order of `places`
 * @throws Error if a moment does not exist
 */
export async function momentLinks(
  table: Table,
  place: StatementPlace,
  places: readonly MomentPlace[],
): Promise<Required<Resource>[]> {
  const keys = places.map(({ flow, trail, number }) => momentKey(place.org.id, flow.id, trail, number));
  const found = await table.getMany(keys);
  return places.map(({ flow, trail, number }, i) => {
    const item = found.get(keyText(keys[i] ?? { pk: '', sk: '' }));
    if (!item) throw new Error(`The trail ${trail} of flow ${flow.id} has no moment ${number}`);
    return momentLink(place, { flow: flow.name, trail, number }, Link.parse(item).hash);
  });
}
