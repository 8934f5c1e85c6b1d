import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { directory, family, keyIn, sequence } from '#shared/table/keys.ts';

/** Keys of trust roots, signers and recalls. `access-patterns.ts` lists the questions that they answer. */

/** The trust roots of an organization, by name. */
export const trustRootList = (org: OrganizationId): PartitionKey => family(org, 'TRUSTROOT');
export const trustRootKey = (org: OrganizationId, name: string): Key => keyIn(trustRootList(org), name);

/** All versions of the trust roots of an organization. */
export const trustRootVersions = (org: OrganizationId): PartitionKey => family(org, 'TRUSTROOT', 'VERSIONS');
/** The first part keeps versions apart from trust roots in exports: no name has a `#`. */
export const trustRootVersionKey = (org: OrganizationId, name: string, version: number): Key =>
  keyIn(trustRootVersions(org), `V#${name}#${sequence(version)}`);

/** The public root of the region, those before it, and what the next refresh needs. */
const publicRoots: PartitionKey = directory('@PUBLICROOT');
/** The root of the last refresh. */
export const publicRootKey = (): Key => keyIn(publicRoots, 'CURRENT');
/** When the root was refreshed. */
export const publicRootStateKey = (): Key => keyIn(publicRoots, 'STATE');
/** Metadata of the repository. */
export const publicRootMetadataKey = (): Key => keyIn(publicRoots, 'METADATA');
/** A root that verifies or did. @param digest SHA-256 of its text, as hexadecimal digits */
export const keptRootKey = (digest: string): Key => keyIn(publicRoots, `ROOT#${digest}`);

/** The signers of an organization, by name. */
export const signerList = (org: OrganizationId): PartitionKey => family(org, 'SIGNER');
export const signerKey = (org: OrganizationId, name: string): Key => keyIn(signerList(org), name);

/** All versions of the signers of an organization. */
export const signerVersions = (org: OrganizationId): PartitionKey => family(org, 'SIGNER', 'VERSIONS');
export const signerVersionKey = (org: OrganizationId, name: string, version: number): Key =>
  keyIn(signerVersions(org), `V#${name}#${sequence(version)}`);

/** The recalls of an organization, by name. */
export const recallList = (org: OrganizationId): PartitionKey => family(org, 'RECALL');
export const recallKey = (org: OrganizationId, name: string): Key => keyIn(recallList(org), name);

/** All versions of the recalls of an organization. */
export const recallVersions = (org: OrganizationId): PartitionKey => family(org, 'RECALL', 'VERSIONS');
export const recallVersionKey = (org: OrganizationId, name: string, version: number): Key =>
  keyIn(recallVersions(org), `V#${name}#${sequence(version)}`);
/** Reads the key of a version of a recall; null for every other key. */
export const readRecallVersionKey = ({
  pk,
  sk,
}: Key): { org: OrganizationId; name: string; version: number } | null => {
  const [org = '', family, list, ...rest] = pk.split('#');
  const [, name, version] = /^V#([^#]+)#([0-9]+)$/.exec(sk) ?? [];
  if (family !== 'RECALL' || list !== 'VERSIONS' || rest.length > 0 || name === undefined) return null;
  return { org: storedId(org), name, version: Number(version) };
};
